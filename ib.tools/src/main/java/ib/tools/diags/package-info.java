/**
 * Commands with the names and the output of infiniband-diags: they look at ports and fabrics. No
 * threads; the shell calls in. IBA vol. 1 chapter 16.
 */
@NullMarked
package ib.tools.diags;

import org.jspecify.annotations.NullMarked;
