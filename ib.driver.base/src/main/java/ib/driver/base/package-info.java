/**
 * What the bundles of software drivers have in common, embedded privately into each: the reading of
 * configurations, devices that are plugged in and out, and how they are made known. Whoever
 * delivers configurations calls in and never waits; each device that changes has a thread of its
 * own for as long as that takes.
 */
@NullMarked
package ib.driver.base;

import org.jspecify.annotations.NullMarked;
