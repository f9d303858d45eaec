/**
 * IP over InfiniBand (RFC 4390, 4391, 4392, 4755): a network interface per port and partition, in
 * this JVM or in the kernel. Each interface has one thread of its own; clients of the core are
 * added and removed by whoever plugs a device.
 */
@NullMarked
package ib.ulp.ipoib;

import org.jspecify.annotations.NullMarked;
