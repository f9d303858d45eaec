/**
 * The bytes of a packet: header flyweights over {@code MemorySegment}, the opcode table of BTH,
 * both CRCs, sequence number arithmetic, and the names of all reasons to drop a packet because of
 * its bytes alone. A flyweight is wrapped around bytes and reads and writes them in place.
 *
 * <p>No thread is owned, nothing is kept between calls. Enums and static methods may be used from
 * any context; a flyweight or an {@link ib.core.wire.Icrc} belongs to one thread at a time.
 *
 * <p>IBA vol. 1 chapters 5, 7.8 and 9, 13.4.3 for MADs, annexes A17 (RoCEv2) and A19 (memory
 * placement).
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.core.wire;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
