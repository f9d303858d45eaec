package ib.engine.mr;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Copies from and to registered memory (D6). The bytes of every way go through {@link #copy}:
 * {@link Mover} goes through the elements of the descriptor way and copies here; beside this class
 * only {@link RemoteAtomic} accesses registered memory. A revoked key, a wrong address, a closed
 * arena or a mapped file that was cut off is a result, never an exception or a crash. Any thread
 * may call; calls do not block.
 */
public final class Copier {
  /** All bytes are copied. */
  public static final int OK = 0;

  /** The payload's memory is no longer readable, which is an error of its sender. */
  public static final int SOURCE = 1;

  /** The target may not be written, or is no longer registered. */
  public static final int TARGET = 2;

  private static final int MIN_PAGE_BYTES = 4096;
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final byte[] READ = new byte[1]; // never read
  private static final boolean LOW_FIRST = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private Copier() {}

  /**
   * Copies a payload to memory that a key has admitted.
   *
   * @param payload the source
   * @param key key of the target
   * @param version result of {@link Key#admit}
   * @param address address of the target
   * @return {@link #OK}, {@link #SOURCE} or {@link #TARGET}
   */
  public static int toRegion(Payload payload, Key key, long version, long address) {
    return part(payload, 0, payload.length(), key, version, address);
  }

  /**
   * Copies a payload into the elements of a request.
   *
   * @param payload the source
   * @param to the target
   * @param offset first byte within the elements; offset and payload fit
   * @return {@link #OK}, {@link #SOURCE} or {@link #TARGET}
   */
  public static int toSges(Payload payload, LastKeys to, long offset) {
    return toSges(payload, 0, payload.length(), to, offset);
  }

  /**
   * Copies a part of a payload into the elements of a request.
   *
   * @param payload the source
   * @param from first byte of the part
   * @param bytes number of bytes
   * @param to the target
   * @param offset first byte within the elements; offset and part fit
   * @return {@link #OK}, {@link #SOURCE} or {@link #TARGET}
   */
  public static int toSges(Payload payload, int from, int bytes, LastKeys to, long offset) {
    long skip = offset;
    int done = 0;
    for (int i = 0; done < bytes; i++) {
      if (i == to.count()) {
        return TARGET;
      }
      long length = to.length(i);
      if (skip >= length) {
        skip -= length;
        continue;
      }
      long address = to.address(i) + skip;
      int n = (int) Math.min(bytes - done, length - skip);
      int lkey = to.lkey(i);
      Key key = to.find(lkey);
      long version =
          key == null
              ? Key.REFUSED
              : key.admit(lkey, to.domain, key, Access.LOCAL_WRITE, address, n);
      if (key == null || version == Key.REFUSED) {
        return TARGET;
      }
      int result = part(payload, from + done, n, key, version, address);
      if (result != OK) {
        return result;
      }
      skip = 0;
      done += n;
    }
    return OK;
  }

  /** Copies a part of a payload, piece by piece, to memory that a key has admitted. */
  private static int part(
      Payload payload, int from, int bytes, Key key, long version, long address) {
    int skip = from;
    int done = 0;
    for (int i = 0; done < bytes; i++) {
      int length = payload.length(i);
      if (skip >= length) {
        skip -= length;
        continue;
      }
      int n = Math.min(bytes - done, length - skip);
      Key source = payload.key(i);
      key.enter();
      if (source != null) {
        source.enter();
      }
      try {
        if (!payload.live(i)) {
          return SOURCE;
        }
        long offset = payload.offset(i) + skip;
        int result = into(key, version, address + done, payload.segment(i), offset, n);
        if (result != OK) {
          return result;
        }
      } finally {
        key.leave();
        if (source != null) {
          source.leave();
        }
      }
      skip = 0;
      done += n;
    }
    return OK;
  }

  /**
   * Copies bytes to memory that a key has admitted, segment by segment. The caller has entered the
   * key.
   *
   * @param key key of the target
   * @param version result of {@link Key#admit}
   * @param address address of the target
   * @param from the source
   * @param offset offset of the first byte in the source; all bytes are within it
   * @param bytes number of bytes
   * @return {@link #OK}, {@link #SOURCE} or {@link #TARGET}
   */
  static int into(Key key, long version, long address, MemorySegment from, long offset, int bytes) {
    for (int done = 0; done < bytes; ) {
      long to = address + done;
      int place = key.place(to);
      int n = key.run(place, to, bytes - done);
      MemorySegment target = key.segment(place);
      long start = key.start(place);
      if (!key.live(version)) {
        return TARGET;
      }
      int result = copy(from, offset + done, target, to - start, n);
      if (result != OK) {
        return result;
      }
      done += n;
    }
    return OK;
  }

  /**
   * Copies bytes: the one place where bytes of registered memory and of inline data are copied.
   *
   * @param from the source
   * @param offset offset in the source; all bytes are within it
   * @param to the target
   * @param toOffset offset in the target; all bytes are within it
   * @param bytes number of bytes
   * @return {@link #OK}, {@link #SOURCE} when the source cannot be read, {@link #TARGET} when the
   *     target cannot be written
   */
  private static int copy(
      MemorySegment from, long offset, MemorySegment to, long toOffset, int bytes) {
    try {
      MemorySegment.copy(from, offset, to, toOffset, bytes);
      settle(from);
      settle(to);
      return OK;
    } catch (IllegalStateException closed) { // an arena was closed, perhaps during the copy
      return from.scope().isAlive() ? TARGET : SOURCE;
    } catch (InternalError cutOff) { // a mapped file was truncated
      return isReadable(from, offset, bytes) ? TARGET : SOURCE;
    } catch (WrongThreadException confined) { // inline data; registered memory never is
      return SOURCE;
    } catch (IllegalArgumentException | UnsupportedOperationException readOnly) {
      return TARGET;
    }
  }

  /**
   * Makes an error of mapped memory come now. Compiled code that meets a page whose file was cut
   * off goes on, and the JVM throws {@code InternalError} at its next poll, which may be frames
   * later. A call into the JVM polls (JDK 25: 12 ns, where {@code Thread.yield} takes 500).
   *
   * @param accessed memory that was read or written just now
   */
  static void settle(MemorySegment accessed) {
    if (accessed.isMapped()) {
      Thread.holdsLock(accessed);
    }
  }

  /**
   * Reads a byte of memory, so that an error of it comes now, and not in an access that ends the
   * JVM: a compare and exchange in the interpreter does (JDK 25: SIGBUS). A file that is cut off
   * between the two still does.
   *
   * @param memory the memory
   * @param offset offset of the byte
   */
  static void touch(MemorySegment memory, long offset) {
    MemorySegment.copy(memory, BYTE, offset, READ, 0, 1); // a mere get would be compiled away
    Thread.holdsLock(memory);
  }

  /** Whether each page of the memory can be read; for memory of which a copy has failed. */
  private static boolean isReadable(MemorySegment memory, long offset, int bytes) {
    try {
      for (int i = 0; i < bytes; i += MIN_PAGE_BYTES) {
        touch(memory, offset + i);
      }
      touch(memory, offset + bytes - 1);
      return true;
    } catch (InternalError cutOff) {
      return false;
    }
  }

  /**
   * Whether memory to which a copy has failed is still registered and its arena open: then the
   * memory itself has failed, which is its owner's fault.
   *
   * @param key key of the memory
   * @param version result of {@link Key#admit}
   * @param address address of the first byte
   * @return false when the key was revoked or the arena closed
   */
  public static boolean isOpen(Key key, long version, long address) {
    MemorySegment memory = key.segment(key.place(address));
    return key.live(version) && memory.scope().isAlive();
  }

  /**
   * Copies bytes into words, as {@link #copy}.
   *
   * @param from the source; all bytes are within it
   * @param offset offset in the source
   * @param w the words, which can hold them
   * @param to the byte of the words where they go
   * @param bytes number of bytes
   * @return false when the source cannot be read; some bytes may be copied then
   */
  static boolean toWords(MemorySegment from, long offset, long[] w, long to, int bytes) {
    try {
      int whole = to % Long.BYTES == 0 ? bytes / Long.BYTES : 0;
      MemorySegment.copy(from, WORD, offset, w, (int) (to / Long.BYTES), whole);
      for (int i = whole * Long.BYTES; i < bytes; i++) {
        int word = (int) ((to + i) / Long.BYTES);
        int shift = shift(to + i);
        w[word] = w[word] & ~(0xffL << shift) | (from.get(BYTE, offset + i) & 0xffL) << shift;
      }
      settle(from);
      return true;
    } catch (IllegalStateException
        | WrongThreadException
        | InternalError gone) { // closed, another thread's, or cut off
      return false;
    }
  }

  /**
   * Copies bytes out of words, as {@link #copy}.
   *
   * @param w the words
   * @param first the word in which the bytes begin
   * @param bytes number of bytes
   * @param to the target; all bytes are within it
   * @param offset offset in the target
   * @return false when the target cannot be written; some bytes may be copied then
   */
  static boolean fromWords(long[] w, int first, int bytes, MemorySegment to, long offset) {
    try {
      int whole = bytes / Long.BYTES;
      MemorySegment.copy(w, first, to, WORD, offset, whole);
      for (int i = whole * Long.BYTES; i < bytes; i++) {
        to.set(BYTE, offset + i, (byte) (w[first + i / Long.BYTES] >>> shift(i)));
      }
      settle(to);
      return true;
    } catch (IllegalStateException
        | IllegalArgumentException
        | UnsupportedOperationException
        | InternalError gone) { // closed, read-only, or cut off
      return false;
    }
  }

  private static int shift(long at) {
    int bits = (int) (at % Long.BYTES) * Byte.SIZE;
    return LOW_FIRST ? bits : Long.SIZE - Byte.SIZE - bits;
  }

  /**
   * Adds memory that a key has admitted to a payload.
   *
   * @param key key of the source
   * @param version result of {@link Key#admit}
   * @param address address of the first byte
   * @param bytes number of bytes
   * @param payload the payload
   * @return false when the access is no longer allowed
   */
  public static boolean refer(Key key, long version, long address, long bytes, Payload payload) {
    long done = 0;
    while (done < bytes) {
      long from = address + done;
      int place = key.place(from);
      int n = key.run(place, from, bytes - done);
      MemorySegment segment = key.segment(place);
      long start = key.start(place);
      if (!key.live(version) || !segment.scope().isAlive()) {
        return false;
      }
      payload.add(key, version, segment, from - start, n);
      done += n;
    }
    return true;
  }

  /**
   * Adds a part of the elements of a request to a payload.
   *
   * @param from the source
   * @param offset first byte within the elements; offset and bytes fit
   * @param bytes number of bytes
   * @param rights required bits of {@code Access}
   * @param payload the payload; null to check only
   * @return false when a key does not allow it
   */
  public static boolean gather(
      LastKeys from, long offset, long bytes, int rights, @Nullable Payload payload) {
    long skip = offset;
    long left = bytes;
    for (int i = 0; left > 0; i++) {
      if (i == from.count()) {
        return false;
      }
      long length = from.length(i);
      if (skip >= length) {
        skip -= length;
        continue;
      }
      long address = from.address(i) + skip;
      long n = Math.min(left, length - skip);
      int lkey = from.lkey(i);
      Key key = from.find(lkey);
      long version =
          key == null ? Key.REFUSED : key.admit(lkey, from.domain, key, rights, address, n);
      if (key == null || version == Key.REFUSED) {
        return false;
      }
      if (payload != null && !refer(key, version, address, n, payload)) {
        return false;
      }
      left -= n;
      skip = 0;
    }
    return true;
  }

  /**
   * Copies inline data of a post.
   *
   * @param from the source, any kind of segment
   * @param offset offset in the source in bytes
   * @param target inline space of the request
   * @param to offset in the target
   * @param bytes number of bytes, which fit the target
   * @return false when the source cannot be read
   */
  public static boolean inline(
      MemorySegment from, long offset, MemorySegment target, long to, int bytes) {
    if (offset < 0 || bytes < 0 || offset > from.byteSize() - bytes) {
      return false;
    }
    return copy(from, offset, target, to, bytes) == OK;
  }

  /**
   * Copies a payload into memory of the caller, for example a send buffer.
   *
   * @param payload the source
   * @param target the memory, alive and large enough
   * @param offset offset in the target
   * @return {@link #OK} or {@link #SOURCE}
   */
  public static int toSegment(Payload payload, MemorySegment target, long offset) {
    long to = offset;
    for (int i = 0; i < payload.count(); i++) {
      int n = payload.length(i);
      Key source = payload.key(i);
      if (source != null) {
        source.enter();
      }
      boolean read =
          payload.live(i) && inline(payload.segment(i), payload.offset(i), target, to, n);
      if (source != null) {
        source.leave();
      }
      if (!read) {
        return SOURCE;
      }
      to += n;
    }
    return OK;
  }
}
