/** Tests of what the shell says by itself. */
@NullMarked
package ib.tools.shell;

import org.jspecify.annotations.NullMarked;
