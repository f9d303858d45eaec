/**
 * Faults for tests: an annotation that disturbs the packets of every device that offers {@code
 * ib.core.spi.FaultInjection} while a test runs. No thread of its own; called by JUnit.
 * reliability.md B2.
 */
@NullMarked
package ib.kit.fault;

import org.jspecify.annotations.NullMarked;
