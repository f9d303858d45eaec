/**
 * The lock-free rings of work queues. The package has no threads. Each method says which threads
 * may call it; no method blocks. Each class has a stress test with a planted bug.
 */
@NullMarked
package ib.engine.ring;

import org.jspecify.annotations.NullMarked;
