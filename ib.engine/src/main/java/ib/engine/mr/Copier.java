package ib.engine.mr;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The only class that touches registered memory (D6). A revoked key, a bad address or a closed
 * arena is a result, never an exception and never a crash.
 */
public final class Copier {
  /** All bytes are copied. */
  public static final int OK = 0;

  /** The payload's memory is gone: an error of its sender. */
  public static final int SOURCE = 1;

  /** The target may not be written, or is gone. */
  public static final int TARGET = 2;

  private Copier() {}

  /**
   * Copies a payload into a region whose rights were checked.
   *
   * @param payload the source
   * @param key the target
   * @param address in the region's space
   * @return {@link #OK}, {@link #SOURCE} or {@link #TARGET}
   */
  public static int toRegion(Payload payload, MrKey key, long address) {
    if (!key.live()) {
      return TARGET;
    }
    long to = address - key.iova();
    for (int i = 0; i < payload.count(); i++) {
      int n = payload.length(i);
      int result = piece(payload, i, 0, key.segment(), to, n);
      if (result != OK) {
        return result;
      }
      to += n;
    }
    return OK;
  }

  /**
   * Copies a payload into the elements of a request.
   *
   * @param payload the source
   * @param sges the target
   * @param offset first byte within the elements; offset and payload fit
   * @param lkeys all local keys
   * @param domain number of the queue pair's protection domain
   * @return {@link #OK}, {@link #SOURCE} or {@link #TARGET}
   */
  public static int toSges(
      Payload payload, SgeList sges, long offset, IntTable<MrKey> lkeys, int domain) {
    int element = 0;
    long skip = offset;
    int piece = 0;
    int pieceDone = 0;
    while (piece < payload.count()) {
      while (skip >= sges.length(element)) {
        skip -= sges.length(element++);
      }
      long address = sges.address(element) + skip;
      int n = (int) Math.min(payload.length(piece) - pieceDone, sges.length(element) - skip);
      MrKey key = lkeys.find(sges.lkey(element));
      if (key == null || !key.allows(domain, Access.LOCAL_WRITE, address, n)) {
        return TARGET;
      }
      int result = piece(payload, piece, pieceDone, key.segment(), address - key.iova(), n);
      if (result != OK) {
        return result;
      }
      skip += n;
      pieceDone += n;
      if (pieceDone == payload.length(piece)) {
        piece++;
        pieceDone = 0;
      }
    }
    return OK;
  }

  /**
   * Copies a payload into memory of the caller's own, for example a send buffer.
   *
   * @param payload the source
   * @param target the memory, alive and large enough
   * @param offset where the payload begins in it
   * @return {@link #OK} or {@link #SOURCE}
   */
  public static int toSegment(Payload payload, MemorySegment target, long offset) {
    long to = offset;
    for (int i = 0; i < payload.count(); i++) {
      int result = piece(payload, i, 0, target, to, payload.length(i));
      if (result != OK) {
        return result;
      }
      to += payload.length(i);
    }
    return OK;
  }

  private static int piece(Payload payload, int i, int skip, MemorySegment target, long to, int n) {
    MrKey source = payload.key(i);
    if (source != null && !source.live()) {
      return SOURCE;
    }
    MemorySegment from = payload.segment(i);
    try {
      MemorySegment.copy(from, payload.offset(i) + skip, target, to, n);
      return OK;
    } catch (IllegalStateException closed) { // an arena, perhaps while we were copying
      return from.scope().isAlive() ? TARGET : SOURCE;
    } catch (IllegalArgumentException | UnsupportedOperationException readOnly) {
      return TARGET;
    }
  }

  /**
   * Adds a part of the elements of a request to a payload.
   *
   * @param sges the source
   * @param offset first byte within the elements
   * @param bytes how many; offset and bytes fit
   * @param rights bits of {@code Access} that are needed
   * @param lkeys all local keys
   * @param domain number of the queue pair's protection domain
   * @param payload what they are added to, or null to check only
   * @return false when a key does not allow it
   */
  public static boolean gather(
      SgeList sges,
      long offset,
      long bytes,
      int rights,
      IntTable<MrKey> lkeys,
      int domain,
      @Nullable Payload payload) {
    long skip = offset;
    long left = bytes;
    for (int i = 0; left > 0; i++) {
      long length = sges.length(i);
      if (skip >= length) {
        skip -= length;
        continue;
      }
      long address = sges.address(i) + skip;
      long n = Math.min(left, length - skip);
      MrKey key = lkeys.find(sges.lkey(i));
      if (key == null || !key.allows(domain, rights, address, n)) {
        return false;
      }
      if (payload != null) {
        payload.add(key, key.segment(), address - key.iova(), (int) n);
      }
      left -= n;
      skip = 0;
    }
    return true;
  }

  /**
   * Copies what the caller of a post gave inline.
   *
   * @param from the source, any kind of segment
   * @param offset in bytes
   * @param target the request's own room
   * @param to offset in it
   * @param bytes how many, they fit the target
   * @return false when the source cannot be read
   */
  public static boolean inline(
      MemorySegment from, long offset, MemorySegment target, long to, int bytes) {
    if (offset < 0 || bytes < 0 || offset > from.byteSize() - bytes) {
      return false;
    }
    try {
      MemorySegment.copy(from, offset, target, to, bytes);
      return true;
    } catch (IllegalStateException | WrongThreadException notReadable) {
      return false;
    }
  }

  /**
   * Copies the elements of an inline request, which must be readable now.
   *
   * @param sges the source
   * @param lkeys all local keys
   * @param domain number of the queue pair's protection domain
   * @param target the request's own room, large enough
   * @return false when a key does not allow it
   */
  public static boolean inline(
      SgeList sges, IntTable<MrKey> lkeys, int domain, MemorySegment target) {
    long to = 0;
    for (int i = 0; i < sges.count(); i++) {
      MrKey key = lkeys.find(sges.lkey(i));
      long address = sges.address(i);
      int n = (int) sges.length(i);
      if (n > 0
          && (key == null
              || !key.allows(domain, 0, address, n)
              || !inline(key.segment(), address - key.iova(), target, to, n))) {
        return false;
      }
      to += n;
    }
    return true;
  }
}
