/**
 * IP over InfiniBand (RFC 4390, 4391, 4392, 4755): a network interface per port and partition, in
 * this JVM or in the kernel. Each interface has its own thread. The core calls the client's {@code
 * add} and {@code remove} on the thread that plugs or unplugs a device.
 *
 * <p>Locks: the monitor of {@code Adapter}, one per device, guards the list of its interfaces and
 * the number of threads inside; the wait for these gives the monitor up. The monitor of the names
 * in {@code Ipoib} guards the names of interfaces. A thread that holds one of the two takes no
 * other lock; interfaces are made, opened and closed without it. {@code IpoibException} has the
 * word from the method that it overrides, and guards nothing.
 */
@NullMarked
package ib.ulp.ipoib;

import org.jspecify.annotations.NullMarked;
