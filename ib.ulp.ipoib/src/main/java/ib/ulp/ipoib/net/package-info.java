/**
 * IP in this JVM: neighbours by ARP and neighbour discovery, ICMP echo, UDP, groups; for tests and
 * where the kernel lets nobody have a TUN or TAP device. Everything runs on the loop of the
 * interface; the public methods of {@link ib.ulp.ipoib.net.NetIf} may be called from any thread
 * (RFC 826, 4861, 4443, 768).
 */
@NullMarked
package ib.ulp.ipoib.net;

import org.jspecify.annotations.NullMarked;
