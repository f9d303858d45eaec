/**
 * The rxe driver for programs without OSGi: {@link ib.driver.rxe.standalone.RxeHost} makes the
 * process a RoCEv2 endpoint.
 *
 * <p>No thread is owned here. All methods may be called by any thread that may sleep.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.driver.rxe.standalone;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
