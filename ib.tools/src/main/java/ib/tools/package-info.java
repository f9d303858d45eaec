/**
 * Shell commands with the field's own names and output. Each command runs in the thread of the
 * shell session that typed it, and ends before its prompt returns.
 */
@NullMarked
package ib.tools;

import org.jspecify.annotations.NullMarked;
