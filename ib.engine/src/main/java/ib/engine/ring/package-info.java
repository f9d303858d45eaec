/**
 * The lock-free parts: work queues, completion rings, inbound packet queues and the claim token of
 * a queue pair (D4). The package has no threads. Each method says which threads may call it; no
 * method blocks. Each class has a stress test with a planted bug.
 */
@NullMarked
package ib.engine.ring;

import org.jspecify.annotations.NullMarked;
