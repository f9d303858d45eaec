/**
 * {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong}, {@code ibv_ud_pingpong} and {@code
 * ibv_srq_pingpong}: rdma-core's programs, with their options, their output and their exchange over
 * TCP. With two devices, both ends run in this runtime. Plain Java over {@link
 * ib.core.client.IbCore}. A run uses its caller's thread only, and ends when one of its devices is
 * removed.
 */
@NullMarked
package ib.tools.pingpong;

import org.jspecify.annotations.NullMarked;
