/**
 * Registered memory: the tables of keys, the one check of bounds and rights (D6), and the one place
 * that copies. Readers are lock-free and may be any thread; registering and deregistering is
 * control path. IBA vol. 1 section 10.6.
 */
@NullMarked
package ib.engine.mr;

import org.jspecify.annotations.NullMarked;
