/**
 * Commands with the names and the output of infiniband-diags that show ports and counters of this
 * runtime (IBA vol. 1 chapter 16). The thread of the shell session calls; this package has no
 * threads.
 */
@NullMarked
package ib.tools.diags;

import org.jspecify.annotations.NullMarked;
