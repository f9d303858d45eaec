/** Tests of the shell's own sentences. */
@NullMarked
package ib.tools.shell;

import org.jspecify.annotations.NullMarked;
