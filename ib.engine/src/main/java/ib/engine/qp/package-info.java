/**
 * Queue pairs and the objects around them: requester, responder, completer (IBA vol. 1 chapters 9
 * and 10), run to completion by the thread that has work for a queue pair (D4). The package has no
 * threads of its own. Any thread may call verbs objects; only the thread that holds the queue
 * pair's claim ({@link ib.engine.run.ClaimToken}) may call the rest.
 */
@NullMarked
package ib.engine.qp;

import org.jspecify.annotations.NullMarked;
