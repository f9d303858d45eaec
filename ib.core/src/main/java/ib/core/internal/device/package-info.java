/**
 * One device as the midlayer has it: the handles that clients get ({@link
 * ib.core.internal.device.BoundDevice}), what stands between them and the driver, and the steps of
 * the device's arrival and departure ({@link ib.core.internal.device.DevicePort}).
 *
 * <p>Locks: none. The device's actor calls a {@code DevicePort}, one call at a time; clients call
 * handles on their own threads, and the calls go to the driver without any lock (S15). While
 * checking is on, the removal of a device waits for the thread of {@code LockCheck}; that wait has
 * a limit and is not in the wait-for graph.
 */
@NullMarked
package ib.core.internal.device;

import org.jspecify.annotations.NullMarked;
