/**
 * {@code ib:capture}: packets of a device to a file, or to whoever connects to a port of this host.
 * A capture to a port has one thread, which accepts one reader after another; the commands' bundle
 * ends all of them when it stops. The pcapng stream itself is made by the driver.
 */
@NullMarked
package ib.tools.capture;

import org.jspecify.annotations.NullMarked;
