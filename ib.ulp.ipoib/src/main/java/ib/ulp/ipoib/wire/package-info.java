/**
 * The wire formats of IP over InfiniBand: encapsulation, link addresses, ARP, options of neighbour
 * discovery, group addresses, and the private data of connected mode (RFC 4391, 4755). Pure
 * functions over memory; any thread may call them.
 */
@NullMarked
package ib.ulp.ipoib.wire;

import org.jspecify.annotations.NullMarked;
