/**
 * {@code ib:lesson}: small operations that a reader can watch packet by packet. Each run opens a
 * fabric of its own, with devices of its own, so the devices of the runtime are left alone. The
 * shell's thread runs a lesson; the capture's thread hands its packets to the {@link
 * ib.tools.lesson.Trace}.
 *
 * <p>Locks: the monitor of {@code Trace} guards the packets, and the lesson waits on it.
 */
@NullMarked
package ib.tools.lesson;

import org.jspecify.annotations.NullMarked;
