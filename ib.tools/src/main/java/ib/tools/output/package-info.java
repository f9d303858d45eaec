/**
 * What commands return: values that scripts can take apart, and that know the text which the
 * original of the command prints for them. Immutable, without threads; commands make them, the
 * shell's converter reads them.
 */
@NullMarked
package ib.tools.output;

import org.jspecify.annotations.NullMarked;
