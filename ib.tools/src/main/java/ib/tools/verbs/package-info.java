/**
 * {@code ibv_devices}, {@code ibv_devinfo} and {@code ibv_asyncwatch}: devices, their attributes
 * and their events as rdma-core's tools show them. Plain Java over {@link ib.core.client.IbCore}. A
 * command runs on its caller's thread; the event handler of {@code ibv_asyncwatch} runs on a thread
 * of the core.
 */
@NullMarked
package ib.tools.verbs;

import org.jspecify.annotations.NullMarked;
