/**
 * The one wait-for graph of a midlayer (B15).
 *
 * <p>This package has no threads. One leaf lock guards the waits and the state of hot-plug. A
 * thread that holds it takes no other lock and runs no code of a client or a driver.
 */
@NullMarked
package ib.core.internal.waits;

import org.jspecify.annotations.NullMarked;
