/**
 * The commands that have no original: {@code ib:clients}, {@code ib:plug}, {@code ib:unplug},
 * {@code ib:objects} and {@code ib:violations}. Plain Java over {@link ib.core.client.IbCore} and
 * {@link ib.core.spi.DeviceSlot}; a command runs in its caller's thread, and so do the removals
 * that it causes.
 */
@NullMarked
package ib.tools.hotplug;

import org.jspecify.annotations.NullMarked;
