/**
 * An IP stack in this JVM: ARP, neighbour discovery, ICMP echo, UDP and groups (RFC 826, 4861,
 * 4443, 768); for tests, and where the kernel permits no TUN or TAP device. Everything is used on
 * the loop's thread of the interface only, except where {@link ib.ulp.ipoib.net.NetIf} says
 * otherwise.
 */
@NullMarked
package ib.ulp.ipoib.net;

import org.jspecify.annotations.NullMarked;
