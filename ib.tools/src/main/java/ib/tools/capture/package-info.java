/**
 * {@code ib:capture}: writes packets of a device to a file, or to readers that connect to a port of
 * this host. A capture to a port has one thread, which accepts one reader after another. The
 * commands' bundle closes all captures when it stops. The driver writes the pcapng stream.
 *
 * <p>Locks: the monitor of {@code Captures} guards the list of captures, and is held while one is
 * started or ended.
 */
@NullMarked
package ib.tools.capture;

import org.jspecify.annotations.NullMarked;
