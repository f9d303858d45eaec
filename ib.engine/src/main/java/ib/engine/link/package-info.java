/**
 * The parts of a port that a queue pair knows: the tables of GIDs and P_Keys, the guard that counts
 * packets that no correct peer sends and mutes a source that sends too many, and the names of the
 * counters. Any thread may read. IBA vol. 1 chapters 9, 10 and 16.
 */
@NullMarked
package ib.engine.link;

import org.jspecify.annotations.NullMarked;
