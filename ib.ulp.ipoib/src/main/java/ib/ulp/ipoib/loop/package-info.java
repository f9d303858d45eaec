/**
 * The one thread of an interface: tasks, timers and the polling of its queues, in turn, so that
 * nothing of an interface needs a lock. Whoever makes a loop owns its thread; any thread may hand
 * it a task or wake it, from any context.
 */
@NullMarked
package ib.ulp.ipoib.loop;

import org.jspecify.annotations.NullMarked;
