/**
 * The distribution against an unmodified Linux host with rdma_rxe, in QEMU, on a network namespace
 * of its own. One runtime and one peer serve all tests of {@link ib.itests.interop.InteropIT}; each
 * test uses them alone.
 */
@NullMarked
package ib.itests.interop;

import org.jspecify.annotations.NullMarked;
