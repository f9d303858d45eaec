/**
 * Shell commands with the names and the output of the original tools. Each command runs on the
 * thread of its shell session, and ends before the prompt returns.
 *
 * <p>Locks: the monitor of {@code Interrupts} guards the commands that Ctrl-C interrupts; {@code
 * ShellOutput} holds it while it writes, or its own where no session is.
 */
@NullMarked
package ib.tools;

import org.jspecify.annotations.NullMarked;
