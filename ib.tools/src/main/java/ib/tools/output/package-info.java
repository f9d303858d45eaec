/**
 * The results of commands: values for scripts, with the text that the original command prints for
 * them. Immutable; commands create them, and the shell's converter prints them.
 */
@NullMarked
package ib.tools.output;

import org.jspecify.annotations.NullMarked;
