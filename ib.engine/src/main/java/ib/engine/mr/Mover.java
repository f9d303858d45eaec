package ib.engine.mr;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;

/**
 * Copies between the registered memory of two queue pairs in this JVM, without a packet (D5): goes
 * through the elements and admits each; {@link Copier} copies the bytes. As there a revoked key, a
 * wrong address or a closed arena is a result, never an exception. Any thread may call; calls do
 * not block.
 */
public final class Mover {
  private Mover() {}

  /**
   * Copies the elements of a request to memory that a key has admitted. The elements are read while
   * a thread that misuses the builder may change them; so their lengths are added up here once
   * more, and no byte is copied that was not admitted.
   *
   * @param from the source, and the keys of its queue pair
   * @param bytes the number of bytes that the key has admitted: the sum of the elements
   * @param key key of the target
   * @param version result of {@link Key#admit} for all bytes
   * @param address address of the target
   * @return false when an access is not allowed or the memory is no longer registered; some bytes
   *     may be copied then
   */
  public static boolean store(LastKeys from, long bytes, Key key, long version, long address) {
    long to = address;
    for (int i = 0; i < from.count(); i++) {
      long element = from.word(i);
      long n = Sges.bytes(element);
      if (n == 0) {
        continue;
      }
      if (n > address + bytes - to) {
        return false;
      }
      if (!store(from, from.address(i), element, key, version, to)) {
        return false;
      }
      to += n;
    }
    return to == address + bytes;
  }

  /**
   * Copies one element of a request to memory that a key has admitted.
   *
   * @param from the keys of the source's queue pair
   * @param at address of the element
   * @param element its other word, as {@link Sges#word} makes it; so many bytes the key has
   *     admitted
   * @param key key of the target
   * @param version result of {@link Key#admit} for all bytes
   * @param to address of the target
   * @return false when an access is not allowed or the memory is no longer registered; some bytes
   *     may be copied then
   */
  public static boolean store(
      LastKeys from, long at, long element, Key key, long version, long to) {
    int lkey = Sges.key(element);
    long bytes = Sges.bytes(element);
    Key source = from.local(lkey);
    if (source == null) {
      return false;
    }
    long allowed = source.admit(lkey, from.domain, source, 0, at, bytes);
    if (allowed == Key.REFUSED) {
      from.forget(source);
      return false;
    }
    return counted(source, allowed, at, key, version, to, bytes);
  }

  /**
   * Copies memory that a key has admitted into the elements of a request, which are read with the
   * same care as those of a store.
   *
   * @param key key of the source
   * @param version result of {@link Key#admit} for all bytes
   * @param address address of the source
   * @param bytes the number of bytes that the key has admitted: the sum of the elements
   * @param to the target, and the keys of its queue pair
   * @return false when an access is not allowed or the memory is no longer registered; some bytes
   *     may be copied then
   */
  public static boolean fetch(Key key, long version, long address, long bytes, LastKeys to) {
    long from = address;
    for (int i = 0; i < to.count(); i++) {
      int lkey = to.lkey(i);
      long at = to.address(i);
      long n = to.length(i);
      if (n > address + bytes - from) {
        return false;
      }
      Key target = to.local(lkey);
      if (target == null) {
        return false;
      }
      long allowed = target.admit(lkey, to.domain, target, Access.LOCAL_WRITE, at, n);
      if (allowed == Key.REFUSED) {
        to.forget(target);
        return false;
      }
      if (!counted(key, version, from, target, allowed, at, n)) {
        return false;
      }
      from += n;
    }
    return from == address + bytes;
  }

  private static boolean counted(
      Key source, long allowed, long from, Key target, long version, long to, long bytes) {
    source.enter();
    target.enter();
    try {
      for (long done = 0; done < bytes; ) {
        int place = source.place(from + done);
        int n = source.run(place, from + done, bytes - done);
        MemorySegment segment = source.segment(place);
        long offset = from + done - source.start(place);
        if (!source.live(allowed)
            || Copier.into(target, version, to + done, segment, offset, n) != Copier.OK) {
          return false;
        }
        done += n;
      }
      return true;
    } finally {
      source.leave();
      target.leave();
    }
  }
}
