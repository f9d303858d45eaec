/**
 * Puts calls of {@link ib.verifier.probe.Probe} into class files. It reads what the midlayer
 * promises and demands from the annotations in the class files of {@code ib.core.verbs} and its
 * neighbours, and what blocks from {@code blocking.rules}.
 *
 * <p>A weaver belongs to one bundle. The threads that load the bundle's classes call it; what it
 * has read of a class is kept in a concurrent map. No locks.
 */
@NullMarked
package ib.verifier.weave;

import org.jspecify.annotations.NullMarked;
