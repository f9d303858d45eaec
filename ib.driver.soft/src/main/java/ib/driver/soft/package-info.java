/**
 * The InfiniBand fabric in this JVM: one software HCA per configuration, all on one switch. The
 * framework's threads start and stop it; the engine's rules say which threads run its packets (D4).
 */
@NullMarked
package ib.driver.soft;

import org.jspecify.annotations.NullMarked;
