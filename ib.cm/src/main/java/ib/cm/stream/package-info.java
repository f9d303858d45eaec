/**
 * Streams of bytes over a reliable connection, as librdmacm's rsockets have them on the wire:
 * {@link ib.cm.stream.RdmaStream#connect} and {@link ib.cm.stream.RdmaStreamListener#accept}; the
 * peer may be a Linux program that uses rsockets.
 *
 * <p>Each side writes into a ring of the other side by RDMA WRITE with immediate. The immediate
 * says how many bytes have come, or up to which sequence number the peer may send; the memory that
 * is free again is named in a list of two entries in the peer's memory (requirements RS-1 to RS-9
 * of {@code docs/clauses.md}).
 *
 * <p>A stream has no thread: calls of {@code read}, {@code write} and {@code close} handle the
 * completions, as in rsockets. They block; virtual threads are not pinned meanwhile.
 *
 * <p>Locks: {@code reading} and {@code writing} of {@code RdmaStream} let one reader and one writer
 * in at a time, and are held while their call waits. The lock of {@code StreamEnd} guards the state
 * and is taken inside of these; no thread holds it while it waits for the peer. The lock of a
 * connection is taken inside of it when a stream fails. The completion handler takes no lock.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.cm.stream;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
