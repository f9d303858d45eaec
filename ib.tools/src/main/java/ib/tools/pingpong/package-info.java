/**
 * {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong}, {@code ibv_ud_pingpong} and {@code
 * ibv_srq_pingpong}: rdma-core's programs, with their options, their output and their exchange over
 * TCP, and with both ends here when two devices are named. Plain Java over {@link
 * ib.core.client.IbCore}; a run uses its caller's thread alone, and ends when a device that it uses
 * is removed.
 */
@NullMarked
package ib.tools.pingpong;

import org.jspecify.annotations.NullMarked;
