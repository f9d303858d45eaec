/**
 * The lock-free rings of work queues, and the words of the requests in them: {@link
 * ib.engine.ring.SendWords}, {@link ib.engine.ring.ReceiveSlot}. The ring object is the life of a
 * queue: its tail and its words are of one object, so a poster that holds the ring of an earlier
 * life cannot claim in one array and fill another. It finds the ring sealed instead. A reset makes
 * a new ring, whose indices go on from those of the old one. The package has no threads. Each
 * method says which threads may call it; no method blocks. Each class has a stress test with a
 * planted bug.
 */
@NullMarked
package ib.engine.ring;

import org.jspecify.annotations.NullMarked;
