/**
 * Faults for tests: an annotation that disturbs the packets of every device that offers {@code
 * ib.core.spi.FaultInjection} while a test runs. The package has no threads; JUnit calls it.
 */
@NullMarked
package ib.kit.fault;

import org.jspecify.annotations.NullMarked;
