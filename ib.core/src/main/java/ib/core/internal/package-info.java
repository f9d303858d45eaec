/**
 * Puts the midlayer together: the handle that a client gets ({@link
 * ib.core.internal.device.BoundDevice}) and what it stands on. Plain Java, no OSGi.
 *
 * <p>No thread is owned here; control path calls come from ULPs' own threads and go to the driver
 * without any lock (S15).
 */
@NullMarked
package ib.core.internal;

import org.jspecify.annotations.NullMarked;
