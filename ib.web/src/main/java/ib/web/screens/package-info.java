/**
 * The screens that show what a command finds: faults, queue pairs, the contract. Threads of the
 * HTTP service call.
 */
@NullMarked
package ib.web.screens;

import org.jspecify.annotations.NullMarked;
