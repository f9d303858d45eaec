/**
 * Parses command lines as GNU getopt_long does, with the same messages, so that a command refuses
 * what its original refuses. All types are immutable; any thread may call.
 */
@NullMarked
package ib.tools.getopt;

import org.jspecify.annotations.NullMarked;
