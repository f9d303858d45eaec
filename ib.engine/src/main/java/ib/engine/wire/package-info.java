/**
 * What lies between a device and its medium: packets, the port that sends and receives them, the
 * wire that a driver supplies, and codecs that make bytes of packets and packets of bytes, or say
 * why not. A codec belongs to one thread at a time. No thread of its own: a packet is carried by
 * whoever has work for a queue pair (D4), so every method may be called from any thread, must not
 * block, park, throw or allocate. IBA vol. 1 chapters 5, 8 and 9.
 */
@NullMarked
package ib.engine.wire;

import org.jspecify.annotations.NullMarked;
