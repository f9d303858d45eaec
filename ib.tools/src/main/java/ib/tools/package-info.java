/**
 * Shell commands with the names and the output of the original tools. Each command runs on the
 * thread of its shell session, and ends before the prompt returns.
 */
@NullMarked
package ib.tools;

import org.jspecify.annotations.NullMarked;
