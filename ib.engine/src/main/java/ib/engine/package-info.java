/**
 * A complete software HCA over any wire. The thread that has work for a queue pair runs the queue
 * pair (D4), so any thread may execute code of the engine. Drivers call the engine through the
 * {@code SoftHca} that they create.
 */
@NullMarked
package ib.engine;

import org.jspecify.annotations.NullMarked;
