/**
 * {@code ib:fault}: the command that disturbs packets on purpose, through {@code
 * ib.core.spi.FaultInjection}. No thread of its own; called by the shell. reliability.md B2.
 */
@NullMarked
package ib.tools.fault;

import org.jspecify.annotations.NullMarked;
