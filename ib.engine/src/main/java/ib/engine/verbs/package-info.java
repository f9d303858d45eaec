/**
 * The verbs objects of the engine: what a consumer calls (IBA vol. 1 chapters 10 and 11). Posts are
 * data path: they check a request, write it into a ring and have the queue pair run. Any thread may
 * call. The package has no threads of its own.
 *
 * <p>Locks, for the control path. The monitor of {@code SoftMr} lets one thread at a time register
 * a region anew, and is held while that thread waits for the queue pairs that may copy; while it
 * asks which those are, {@code SoftPd} takes its own, with which nothing else is taken.
 */
@NullMarked
package ib.engine.verbs;

import org.jspecify.annotations.NullMarked;
