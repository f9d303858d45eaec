/**
 * The medium of a RoCEv2 port (IBA annex A17): ordinary UDP sockets, one for each local address.
 * One thread of its own receives and carries what it received through the engine; what is sent is
 * sent in the call of whoever runs a queue pair (D4), which neither waits nor allocates.
 */
@NullMarked
package ib.driver.rxe.udp;

import org.jspecify.annotations.NullMarked;
