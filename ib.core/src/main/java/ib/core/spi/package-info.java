/**
 * The interface of the midlayer for drivers. A driver subclasses {@link ib.core.spi.DriverDevice}
 * and the abstract classes of {@code ib.core.verbs}, builds everything, and registers the device
 * last (S27); it unregisters the device first, and only then closes what the device uses (S28).
 *
 * <p>The core starts the threads that run callbacks (completion vectors, event dispatcher). A
 * driver hands completions and events to them with {@code notifyCompletion}, {@code raise} and
 * {@code dispatchEvent}, from any context.
 *
 * <p>Locks: the monitor of the map {@code configurations} in {@code StandaloneFabric} guards the
 * configurations of the fabric's devices. It is a leaf: no thread configures, plugs or waits while
 * it holds the monitor. A driver may hold locks of its own when it calls {@code notifyCompletion},
 * {@code raise} or {@code dispatchEvent}, because these methods neither wait nor run client code.
 *
 * <p>Text: the kernel's "InfiniBand Midlayer Locking".
 */
@Version("1.0.0")
@Export
package ib.core.spi;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
