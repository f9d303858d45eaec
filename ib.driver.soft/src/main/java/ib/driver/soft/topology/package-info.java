/**
 * The nodes, ports and cables of a subnet, with the values that a subnet manager has written into
 * them. {@code NetFile} reads a topology from the text that {@code ibnetdiscover} prints. IBA vol.
 * 1 sections 14.2.5 and 18.2.4.
 *
 * <p>Threads and locks: none. The caller of every method holds the fabric's monitor.
 */
@NullMarked
package ib.driver.soft.topology;

import org.jspecify.annotations.NullMarked;
