/**
 * Our end of itests/peer/scenario.py, as a bundle with one shell command that runs inside the
 * runtime. A run uses the shell's thread.
 */
@NullMarked
package ib.itests.interop.scenario;

import org.jspecify.annotations.NullMarked;
