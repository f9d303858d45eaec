/**
 * Messages of the connection manager (IBA 12.6): one table of fields, of which reader, writer,
 * printer and test are made. A {@link ib.cm.internal.wire.CmMessage} belongs to one thread at a
 * time; the rest is constant. No threads, no locks.
 */
@NullMarked
package ib.cm.internal.wire;

import org.jspecify.annotations.NullMarked;
