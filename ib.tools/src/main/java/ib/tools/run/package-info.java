/**
 * The common part of commands that transfer data: their devices, their verbs objects and their TCP
 * connection. Plain Java. Only the thread of the run that created an object may use it.
 */
@NullMarked
package ib.tools.run;

import org.jspecify.annotations.NullMarked;
