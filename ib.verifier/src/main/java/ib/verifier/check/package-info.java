/**
 * Judges what the probes see, and reports what breaks the contract. Knows nothing of OSGi.
 *
 * <p>The methods run on the threads of the code that is watched, from any context. What belongs to
 * one thread is in a thread local of classes of the JDK; the places that were reported already, the
 * order of locks, and who is inside of which object are in concurrent maps. No locks. The check of
 * threads that are left waits for a moment on the thread that removes the client.
 */
@NullMarked
package ib.verifier.check;

import org.jspecify.annotations.NullMarked;
