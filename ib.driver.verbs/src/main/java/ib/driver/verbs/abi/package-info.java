/**
 * The C libraries that the driver calls: where the fields of the structures are, the functions, and
 * one call of a function. Addresses of C are {@code long}; an address is 0 where C has NULL. Any
 * thread may call. Nothing here keeps state but what a {@link ib.driver.verbs.abi.Frame} holds for
 * its own thread.
 */
@NullMarked
package ib.driver.verbs.abi;

import org.jspecify.annotations.NullMarked;
