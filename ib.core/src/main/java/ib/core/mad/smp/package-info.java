/**
 * Attributes of subnet management and performance management as data: where each field lies, under
 * the name that the field's tools print. The package has no behaviour and no threads; any thread
 * may call in from any context. IBA vol. 1 sections 13.4, 14.2 and 16.1.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.core.mad.smp;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
