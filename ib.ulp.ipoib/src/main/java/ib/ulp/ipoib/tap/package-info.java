/**
 * The kernel's side of an interface (RFC 4390, 4391, 826, 4861). Frames of a TAP device are
 * translated between Ethernet and IP over InfiniBand, also ARP, neighbour discovery and DHCP. A TUN
 * device carries IP packets only; a stack in this JVM answers for its addresses on the link.
 * Everything is used on the loop's thread of the interface only, which sleeps in poll(2) on the
 * device and on an eventfd.
 */
@NullMarked
package ib.ulp.ipoib.tap;

import org.jspecify.annotations.NullMarked;
