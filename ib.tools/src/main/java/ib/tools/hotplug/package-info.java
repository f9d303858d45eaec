/**
 * The commands without an original: {@code ib:clients}, {@code ib:plug}, {@code ib:unplug}, {@code
 * ib:objects}, {@code ib:events} and {@code ib:violations}. Plain Java over {@link
 * ib.core.client.IbCore} and {@link ib.core.spi.DeviceSlot}. A command runs on its caller's thread;
 * the slot's worker plugs and unplugs the device meanwhile.
 */
@NullMarked
package ib.tools.hotplug;

import org.jspecify.annotations.NullMarked;
