/**
 * Queue pairs and the objects around them: requester, responder, completer (IBA vol. 1 chapters 9
 * and 10), run to completion by the thread that has work for a queue pair (D4). The package has one
 * thread, the device's worker: it runs timers, and work that remains when a poster has used up its
 * budget. Any thread may call verbs objects; only the thread that holds the queue pair's claim
 * ({@link ib.engine.ring.ClaimToken}) may call the rest.
 */
@NullMarked
package ib.engine.qp;

import org.jspecify.annotations.NullMarked;
