/**
 * Programs of librdmacm, with the originals' options and output. A run belongs to the command's
 * thread; callbacks of {@link ib.cm.rdma} only wake it up. Locks: none.
 */
@NullMarked
package ib.tools.rdmacm;

import org.jspecify.annotations.NullMarked;
