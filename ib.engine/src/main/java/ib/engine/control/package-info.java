/**
 * Runs, changes and explains queue pairs whose claim is held. {@code QpSteps} runs one, by either
 * way; {@code QpControl} changes and destroys it, for which it takes the claim, and waits for that
 * at most 5 s, one caller at a time; {@code Flusher} completes requests that are not executed;
 * {@code QpDoctor} explains. No locks of its own: {@code ib.engine.qp} has those of its callers.
 */
@NullMarked
package ib.engine.control;

import org.jspecify.annotations.NullMarked;
