/**
 * The built-in subnet manager and subnet administrator: the least that a subnet needs when nobody
 * manages it from outside. No thread of its own; everything is called under the fabric's lock. IBA
 * vol. 1 sections 14.4 and 15.2.
 */
@NullMarked
package ib.driver.soft.sm;

import org.jspecify.annotations.NullMarked;
