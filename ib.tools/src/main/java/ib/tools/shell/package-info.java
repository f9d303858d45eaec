/**
 * What the shell says by itself: its greeting, its list of commands, and names that are like one.
 */
@NullMarked
package ib.tools.shell;

import org.jspecify.annotations.NullMarked;
