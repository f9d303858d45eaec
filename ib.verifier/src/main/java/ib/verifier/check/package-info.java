/**
 * Judges what the probes see, and reports what breaks the contract. Knows nothing of OSGi.
 *
 * <p>The methods run on the threads of the code that is watched, from any context. What belongs to
 * one thread is in a thread local of classes of the JDK; the places that were reported already are
 * in a concurrent set. No locks.
 */
@NullMarked
package ib.verifier.check;

import org.jspecify.annotations.NullMarked;
