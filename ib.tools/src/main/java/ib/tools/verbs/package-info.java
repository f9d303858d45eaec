/**
 * {@code ibv_devices}, {@code ibv_devinfo} and {@code ibv_asyncwatch}: devices, their attributes
 * and their events as rdma-core's tools show them. Plain Java over {@link ib.core.client.IbCore}; a
 * command runs in its caller's thread, only the event handler of {@code ibv_asyncwatch} in the
 * midlayer's.
 */
@NullMarked
package ib.tools.verbs;

import org.jspecify.annotations.NullMarked;
