/**
 * The subnet as a thing to look at and to change: nodes, ports, cables, and what a subnet manager
 * has written into them; read from and written to {@code ibnetdiscover}'s text. No thread of its
 * own, and no lock: everything is under the fabric's. IBA vol. 1 sections 14.2.5 and 18.2.4.
 */
@NullMarked
package ib.driver.soft.topology;

import org.jspecify.annotations.NullMarked;
