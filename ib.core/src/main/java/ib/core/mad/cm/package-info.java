/**
 * Messages of the connection manager (IBA 12.6): one table of fields, of which reader, writer,
 * printer and test are made. A {@link ib.core.mad.cm.CmMessage} belongs to one thread at a time;
 * the rest is constant. No threads, no locks; any context. {@code ib.cm} speaks them, captures and
 * the shell print them.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.core.mad.cm;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
