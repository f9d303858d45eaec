/**
 * What the commands that move data have in common: their devices, the objects they make, the TCP
 * connection over which they meet. Plain Java; everything belongs to the run that made it and is
 * used by its thread.
 */
@NullMarked
package ib.tools.run;

import org.jspecify.annotations.NullMarked;
