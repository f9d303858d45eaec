/**
 * The common part of software drivers, embedded privately into each driver's bundle: reading
 * configurations, plugging and unplugging devices, and announcing them. The thread that delivers
 * configurations never waits; a device that changes has its own thread for as long as the change
 * takes.
 */
@NullMarked
package ib.driver.base;

import org.jspecify.annotations.NullMarked;
