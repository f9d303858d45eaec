/**
 * The soft driver for programs without OSGi: {@link ib.driver.soft.standalone.SoftFabric} makes
 * InfiniBand devices in this JVM, on one switch, with a subnet manager.
 *
 * <p>No thread is owned here. All methods may be called by any thread that may sleep.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.driver.soft.standalone;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
