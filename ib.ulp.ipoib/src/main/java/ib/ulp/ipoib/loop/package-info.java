/**
 * The one thread of an interface: it runs tasks, timers and the polling of queues in turn, so that
 * an interface needs no lock. The code that creates a loop starts and ends its thread. Any thread
 * may hand it a task or wake it, from any context.
 */
@NullMarked
package ib.ulp.ipoib.loop;

import org.jspecify.annotations.NullMarked;
