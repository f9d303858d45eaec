/**
 * The built-in subnet manager and subnet administrator: the least that a subnet needs when no
 * client of the ibsim server manages it. IBA vol. 1 sections 14.4 and 15.2.
 *
 * <p>Threads and locks: none. The caller of every method holds the fabric's monitor.
 */
@NullMarked
package ib.driver.soft.sm;

import org.jspecify.annotations.NullMarked;
