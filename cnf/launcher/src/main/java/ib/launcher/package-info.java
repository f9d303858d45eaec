/**
 * Starts the framework from the run descriptor {@code ib.bndrun}, with a shell or for one line of
 * commands. The main thread owns everything here; only the shell's {@code exit} command calls in
 * from a thread of the shell.
 */
@NullMarked
package ib.launcher;

import org.jspecify.annotations.NullMarked;
