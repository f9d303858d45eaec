/**
 * The agents that every node has: subnet management (SMA), performance management (PMA) and the
 * answer to {@code ibping}. No thread of their own; called under the fabric's lock. IBA vol. 1
 * chapters 14 and 16.1.
 */
@NullMarked
package ib.driver.soft.sma;

import org.jspecify.annotations.NullMarked;
