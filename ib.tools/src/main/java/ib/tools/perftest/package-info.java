/**
 * perftest's {@code ib_send_bw}, {@code ib_write_bw}, {@code ib_read_bw}, {@code ib_atomic_bw} and
 * their {@code _lat} forms, with their options, their tables and their exchange over TCP, so that
 * the peer may be perftest itself (version 6.06). Plain Java over {@link ib.core.client.IbCore}. A
 * run uses its caller's thread only, and ends when its device is removed.
 */
@NullMarked
package ib.tools.perftest;

import org.jspecify.annotations.NullMarked;
