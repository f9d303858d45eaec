/**
 * The agents that every node has: subnet management (SMA), performance management (PMA) and the
 * answer to {@code ibping}. IBA vol. 1 chapters 14 and 16.1.
 *
 * <p>Threads and locks: none. The caller of every method holds the fabric's monitor.
 */
@NullMarked
package ib.driver.soft.sma;

import org.jspecify.annotations.NullMarked;
