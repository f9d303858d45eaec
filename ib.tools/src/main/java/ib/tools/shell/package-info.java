/** The shell's list of commands, names that are like one, and whether a person looks. */
@NullMarked
package ib.tools.shell;

import org.jspecify.annotations.NullMarked;
