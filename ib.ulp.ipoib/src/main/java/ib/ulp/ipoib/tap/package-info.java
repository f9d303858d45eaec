/**
 * The kernel's side of an interface: a TAP device whose Ethernet frames are translated to IP over
 * InfiniBand and back, ARP, neighbour discovery and DHCP included, or a TUN device with bare IP
 * packets, for whose addresses a stack in this JVM speaks on the link. Everything runs on the loop
 * of the interface, which sleeps in poll(2) on the device and on a bell (RFC 4390, 4391, 826,
 * 4861).
 */
@NullMarked
package ib.ulp.ipoib.tap;

import org.jspecify.annotations.NullMarked;
