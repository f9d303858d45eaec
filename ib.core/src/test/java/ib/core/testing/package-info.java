/**
 * A driver for tests: everything in memory, correct by default, and able to misbehave on demand
 * (D12). {@link ib.core.testing.FakeDevice} counts what it made and destroyed; {@link
 * ib.core.testing.Faults} runs a hook at the entry of each driver operation, so a test can block
 * it, count it or make it fail.
 */
@NullMarked
package ib.core.testing;

import org.jspecify.annotations.NullMarked;
