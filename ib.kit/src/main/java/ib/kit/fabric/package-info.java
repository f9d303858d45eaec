/**
 * Devices for tests: {@link ib.kit.fabric.IbFabric} gives a test devices on a fabric of its own,
 * closes them afterwards, and tells what went over the wire when the test has failed. It needs no
 * hardware, no OSGi and no root; the driver's jar is on the class path of the tests.
 *
 * <p>No thread of its own; called by JUnit.
 *
 * <p>Locks: the monitor of {@code LastPackets} guards the packets that it keeps, and nests nothing.
 */
@NullMarked
package ib.kit.fabric;

import org.jspecify.annotations.NullMarked;
