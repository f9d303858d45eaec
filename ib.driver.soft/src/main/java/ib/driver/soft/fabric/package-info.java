/**
 * The medium: switches with forwarding tables, and the ports of adapters cabled to them. Packets go
 * by reference from the sender's call straight into the receiving port (D4, D5).
 *
 * <p>No thread of its own. {@link ib.driver.soft.fabric.FabricPort#transmit} may be called from any
 * context; it takes no lock, waits for nothing and allocates nothing. Everything else is control
 * path and serialized here. IBA vol. 1 chapters 7, 14 and 18.
 */
@NullMarked
package ib.driver.soft.fabric;

import org.jspecify.annotations.NullMarked;
