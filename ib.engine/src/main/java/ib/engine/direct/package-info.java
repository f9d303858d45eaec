/**
 * The descriptor way (D5): requests between two queue pairs in this JVM are executed at the peer by
 * the thread that holds both claims, without packets. {@code DirectSends} takes the requests, in
 * order; {@code Join} finds the peer; {@code DirectPath} executes. What it does not execute goes
 * the packet way, which alone refuses requests; the two ways do not know each other. Only the
 * thread that holds the queue pair's claim ({@link ib.engine.run.ClaimToken}) may call in. No
 * locks.
 */
@NullMarked
package ib.engine.direct;

import org.jspecify.annotations.NullMarked;
