/**
 * Registered memory: the tables of keys, the one check of bounds and rights (D6), and the one place
 * that copies. Readers are lock-free and may be any thread; registering and deregistering is
 * control path. IBA vol. 1 section 10.6.
 *
 * <p>Locks: the monitor of an {@code IntTable} guards its changes, that of {@code Numbers} the
 * numbers that were given and those in quarantine. Both are leaves. Readers take none.
 */
@NullMarked
package ib.engine.mr;

import org.jspecify.annotations.NullMarked;
