/**
 * RoCEv2 on UDP port 4791: one software HCA per configuration, on addresses of this host. The
 * framework's threads start and stop the driver. Each device has a thread that receives and one
 * that watches the host's interfaces; the engine's rules say which threads run its packets (D4).
 *
 * <p>Locks, one of each per device: the monitor of {@code HostWatch} guards the table of addresses;
 * a thread that holds it may take the monitor of {@code UdpWire}. {@code HostWatch.stop} waits for
 * at most one check of the host, and holds no lock while it waits. An idle device wakes no thread
 * up: the thread that watches rests until the host announces a change by netlink or the wire has
 * work.
 */
@NullMarked
package ib.driver.rxe;

import org.jspecify.annotations.NullMarked;
