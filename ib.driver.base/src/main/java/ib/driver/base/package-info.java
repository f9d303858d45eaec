/**
 * The common part of software drivers, embedded privately into each driver's bundle: reading
 * configurations, plugging and unplugging devices, and announcing them. The thread that delivers
 * configurations never waits; a device that changes has its own thread for as long as the change
 * takes.
 *
 * <p>Locks: {@code Devices} has two monitors. Its own guards which slots there are; while a thread
 * holds it, that thread may take the second one, which guards the list of the slots' threads.
 * {@code Turns} (one monitor) guards which devices are expected, and {@code Standalone} (one
 * monitor) the refusal of the configuration that is being read; a thread that holds the latter may
 * take those of {@code Devices} and {@code Turns}. A slot has no lock. No thread calls clients,
 * announces, plugs or waits for a slot while it holds one of them.
 */
@NullMarked
package ib.driver.base;

import org.jspecify.annotations.NullMarked;
