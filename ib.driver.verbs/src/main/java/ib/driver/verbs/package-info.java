/**
 * The driver for the host's own RDMA devices: which of them become devices of ib, how they come and
 * go with the kernel's, and the entry classes with OSGi and without. The slots' threads plug and
 * unplug, one thread watches the host.
 *
 * <p>Locks: {@code HostDevices} has one monitor, which guards the devices that the host has; a
 * thread that holds it configures devices of {@code ib.driver.base}, which does not wait. {@code
 * Libraries} has one, which guards the loaded library, and {@code VerbsDriver} one, which guards
 * the watch of the host.
 */
@NullMarked
package ib.driver.verbs;

import org.jspecify.annotations.NullMarked;
