/**
 * The interface between a device and its medium: packets, the port that sends and receives them,
 * and the wire that a driver supplies. Codecs turn packets into bytes and bytes into packets, or
 * return the reason why they cannot. One thread at a time may use a codec. A queue pair's queues of
 * arrived packets, the opcodes and the lengths of packets on a link stand here too. The package has
 * no threads: the thread that has work for a queue pair carries its packets (D4). So any thread may
 * call every data path method, and none may block, park, throw or allocate. IBA vol. 1 chapters 5,
 * 8 and 9.
 */
@NullMarked
package ib.engine.wire;

import org.jspecify.annotations.NullMarked;
