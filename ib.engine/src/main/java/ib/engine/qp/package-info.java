/**
 * Queue pairs as they are: their fields, slots and counters, and what they know of their device and
 * of its memory (IBA vol. 1 chapters 9 and 10). Later packages execute their requests ({@code
 * direct}, {@code packet}), run, change and destroy them ({@code control}) by the thread that has
 * work for a queue pair (D4), bring packets in ({@code port}), and show them to the consumer
 * ({@code verbs}). The package has no threads and no locks of its own. Only the thread that holds
 * the queue pair's claim ({@link ib.engine.run.ClaimToken}) may call, unless a method says that any
 * thread may.
 *
 * <p>Locks: none. {@code QpControl} takes the claim, for which one caller at a time waits, at most
 * 5 s; the holder may take those of {@code ib.engine.port} and {@code ib.engine.verbs}.
 */
@NullMarked
package ib.engine.qp;

import org.jspecify.annotations.NullMarked;
