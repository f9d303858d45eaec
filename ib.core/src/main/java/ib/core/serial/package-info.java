/**
 * Waiting without deadlocks: {@link ib.core.serial.Waits}, the one graph of all blocking waits of a
 * midlayer, and how a wait {@link ib.core.serial.End ends}.
 *
 * <p>No thread is owned here; who waits calls in on its own thread, from where it may sleep.
 *
 * <p>Text: contract 2.6-4, I4, B15.
 */
@Version("1.0.0")
@Export
package ib.core.serial;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
