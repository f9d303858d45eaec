/**
 * Queue pairs and the objects around them: requester, responder, completer (IBA vol. 1 chapters 9
 * and 10), run to completion by whoever has work for a queue pair (D4). The one thread of its own
 * is the device's worker, for timers and for what is left over when a poster has done its share.
 * Verbs objects may be called by anybody; everything else only by the thread that holds the queue
 * pair's claim ({@link ib.engine.ring.ClaimToken}).
 */
@NullMarked
package ib.engine.qp;

import org.jspecify.annotations.NullMarked;
