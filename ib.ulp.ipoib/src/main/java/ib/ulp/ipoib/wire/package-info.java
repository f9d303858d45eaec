/**
 * What IP over InfiniBand looks like on the wire: encapsulation, link addresses, ARP, options of
 * neighbour discovery, group addresses, DHCP, the private data of connected mode. Pure functions
 * over memory, any thread; RFC 4390, 4391, 4755.
 */
@NullMarked
package ib.ulp.ipoib.wire;

import org.jspecify.annotations.NullMarked;
