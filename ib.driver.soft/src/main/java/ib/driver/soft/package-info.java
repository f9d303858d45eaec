/**
 * The InfiniBand fabric in this JVM: one software HCA per configuration, all on one switch. The
 * framework's threads start and stop it; the engine's rules say which threads run its packets (D4).
 *
 * <p>Locks: the monitor of {@code Medium} guards the configuration of the fabric. A thread that
 * holds it may take the monitor of {@code Fabric}, and waits for the end of the ibsim server's
 * thread, which takes the monitor of {@code Fabric} only.
 */
@NullMarked
package ib.driver.soft;

import org.jspecify.annotations.NullMarked;
