/**
 * Completion queues (IBA vol. 1 sections 10.8 and 11.4.2): their rings, what pollers and consumers
 * of notifications see of them, and the queue pairs that use them. Producers are the threads that
 * hold the claims of these queue pairs. The package has no threads; the device's worker runs its
 * timers.
 */
@NullMarked
package ib.engine.cq;

import org.jspecify.annotations.NullMarked;
