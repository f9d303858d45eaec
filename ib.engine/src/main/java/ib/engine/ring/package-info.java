/**
 * The lock-free parts: work queues, completion rings, inbound packet queues and the claim token of
 * a queue pair (D4). No threads; which side of a ring may be called by whom stands with each
 * method. Each has a stress test with a planted bug.
 */
@NullMarked
package ib.engine.ring;

import org.jspecify.annotations.NullMarked;
