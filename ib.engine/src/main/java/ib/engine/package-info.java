/**
 * A complete software HCA over any wire. Whoever has work for a queue pair runs it (D4), so every
 * thread of a device may be inside; drivers call in through the device they build here.
 */
@NullMarked
package ib.engine;

import org.jspecify.annotations.NullMarked;
