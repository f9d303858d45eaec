/**
 * The ibsim server for management software outside of this JVM: the server side of {@code ibsim}'s
 * protocol over UDP on the loopback interface. An unmodified OpenSM and the infiniband-diags,
 * preloaded with {@code libumad2sim.so}, manage and inspect a subnet in this JVM. The server has
 * one thread; when {@code close} returns, that thread has ended.
 *
 * <p>Locks: the monitor of the fabric guards the clients. The server's thread takes it for each
 * datagram, in {@code IbsimDoor} and {@code Clients}, and waits for the next datagram without it.
 * Text: the sources of ibsim 0.10.
 */
@NullMarked
package ib.driver.soft.ibsim;

import org.jspecify.annotations.NullMarked;
