/**
 * What a driver extends and calls. A driver subclasses {@link ib.core.spi.DriverDevice} and the
 * abstract classes of {@code ib.core.verbs}, builds everything, and registers the device last
 * (S27); it unregisters first, and only then takes things down (S28).
 *
 * <p>The core owns the threads that run callbacks (completion vectors, event dispatcher); a driver
 * hands over with {@code notifyCompletion}, {@code raise} and {@code dispatchEvent}, from any
 * context.
 *
 * <p>Text: the kernel's "InfiniBand Midlayer Locking".
 */
@Version("1.0.0")
@Export
package ib.core.spi;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
