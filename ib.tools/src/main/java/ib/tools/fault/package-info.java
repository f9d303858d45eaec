/**
 * {@code ib:fault}: the command that disturbs packets on purpose, through {@code
 * ib.core.spi.FaultInjection}. The thread of the shell session calls; this package has no threads.
 */
@NullMarked
package ib.tools.fault;

import org.jspecify.annotations.NullMarked;
