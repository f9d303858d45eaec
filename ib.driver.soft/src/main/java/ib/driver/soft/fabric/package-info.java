/**
 * The medium: switches with forwarding tables, and the ports of adapters cabled to them. Packets go
 * by reference from the sender's call straight into the receiving port (D4, D5).
 *
 * <p>{@link ib.driver.soft.fabric.FabricPort#transmit} may be called from any context; it takes no
 * lock, does not wait and allocates nothing. The thread {@code ib-fabric} carries management
 * datagrams. IBA vol. 1 chapters 7, 14 and 18.
 *
 * <p>Locks: the monitor of {@code Fabric}, one per fabric, guards the subnets, nodes, ports, agents
 * and subnet managers of the fabric; methods of {@code FabricPort}, {@code Subnet} and {@code
 * Mailbox} take it. A thread that holds it takes no other lock of this module.
 */
@NullMarked
package ib.driver.soft.fabric;

import org.jspecify.annotations.NullMarked;
