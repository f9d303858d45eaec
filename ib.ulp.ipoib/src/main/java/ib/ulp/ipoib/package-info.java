/**
 * IP over InfiniBand (RFC 4390, 4391, 4392, 4755): a network interface per port and partition, in
 * this JVM or in the kernel. Each interface has its own thread. The core calls the client's {@code
 * add} and {@code remove} on the thread that plugs or unplugs a device.
 */
@NullMarked
package ib.ulp.ipoib;

import org.jspecify.annotations.NullMarked;
