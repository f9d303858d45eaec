/**
 * Command lines as GNU getopt_long reads them, with its messages, so that a command refuses what
 * the original refuses in the same words. Immutable and without threads; any command may call in.
 */
@NullMarked
package ib.tools.getopt;

import org.jspecify.annotations.NullMarked;
