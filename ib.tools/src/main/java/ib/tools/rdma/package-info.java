/**
 * {@code rdma dev}, {@code rdma link}, {@code rdma resource} and {@code rdma statistic} as iproute2
 * prints them, in text and in JSON. Plain Java over {@link ib.core.client.IbCore}. A command runs
 * on its caller's thread.
 */
@NullMarked
package ib.tools.rdma;

import org.jspecify.annotations.NullMarked;
