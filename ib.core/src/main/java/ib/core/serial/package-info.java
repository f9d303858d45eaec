/**
 * Order without locks, and waiting without deadlocks. A {@link ib.core.serial.Serial} runs one run
 * at a time and never loses a wake-up; a {@link ib.core.serial.Mailbox} is a serial with a bounded
 * queue; a {@link ib.core.serial.Place} is where runs happen, and {@link ib.core.serial.KeptRuns}
 * has runs happen on the thread of a driver that caused them. {@link ib.core.serial.Waits} is the
 * one graph of all blocking waits of a midlayer; a wait has an {@link ib.core.serial.End}.
 *
 * <p>Locks: none. Only the places that {@code Place} makes start threads. The state of a serial
 * belongs to the thread that is in a run of the serial. Fences and drains wait, on a calling thread
 * that may sleep; every other method may be called from any context.
 *
 * <p>Clauses: S23, S24, I4, B5, B7, B8, B15, CC-17.
 */
@Version("1.3.0")
@Export
package ib.core.serial;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
