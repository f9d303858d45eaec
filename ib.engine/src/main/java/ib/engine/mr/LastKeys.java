package ib.engine.mr;

import org.jspecify.annotations.Nullable;

/**
 * The registered memory of one queue pair's device, as the queue pair finds it: the tables of keys,
 * the queue pair's domain, the keys that the descriptor way used last, and the elements of the
 * request in hand, which name keys. The elements stay where they are, in the slot of their request
 * or in a builder; here stands only where that is. A key that is kept is a hint and never a
 * permission: {@link Key#admit} compares the whole number, domain, rights, bounds, holder and
 * version whichever way the key was found. All keys are those of the queue pair's own device, so
 * that nothing is to be forgotten when its peer changes.
 *
 * <p>Only the thread that holds the queue pair's claim may find keys that are kept, and take
 * elements in hand; any thread may {@link #forget} a key, and {@link #find} one in the table.
 */
public class LastKeys {
  private static final long[] NONE = {};

  private final KeyTable lkeys;
  private final KeyTable rkeys;

  /** Number of the queue pair's protection domain. */
  final int domain;

  private @Nullable Key local;
  private @Nullable Key receive;
  private @Nullable Key remote;
  private long[] words = NONE; // of the elements in hand
  private int at;
  private int count;

  /**
   * Keeps no key yet.
   *
   * @param lkeys all local keys of the device
   * @param rkeys all remote keys of the device
   * @param domain number of the queue pair's protection domain
   */
  public LastKeys(KeyTable lkeys, KeyTable rkeys, int domain) {
    this.lkeys = lkeys;
    this.rkeys = rkeys;
    this.domain = domain;
  }

  /**
   * Takes elements in hand, until the next call; the words stay where they are.
   *
   * @param w the words
   * @param first where the first element begins
   * @param number number of elements
   * @return this
   */
  @SuppressWarnings("ReferenceEquality") // an array is itself
  public final LastKeys elements(long[] w, int first, int number) {
    if (words != w) { // a reference store costs a barrier
      words = w;
    }
    at = first;
    count = number;
    return this;
  }

  /** {@return the number of elements in hand} */
  final int count() {
    return count;
  }

  /** {@return the local key of an element in hand} */
  final int lkey(int i) {
    return Sges.lkey(words, at + Sges.WORDS * i);
  }

  /** {@return the address of an element in hand, in the region's space} */
  final long address(int i) {
    return Sges.address(words, at + Sges.WORDS * i);
  }

  /** {@return the bytes of an element in hand} */
  final long length(int i) {
    return Sges.length(words, at + Sges.WORDS * i);
  }

  /** {@return the second word of an element in hand, as {@link Sges#word} makes it} */
  final long word(int i) {
    return words[at + Sges.WORDS * i + 1];
  }

  /**
   * Finds a local key in the table, and keeps nothing.
   *
   * @param lkey 32 bits
   * @return the key with the same upper 24 bits; null if there is none
   */
  final @Nullable Key find(int lkey) {
    return lkeys.find(lkey);
  }

  /**
   * Finds the key of an element of a send request.
   *
   * @param lkey 32 bits
   * @return the key with the same upper 24 bits; null if there is none
   */
  final @Nullable Key local(int lkey) {
    Key key = local;
    if (key == null || key.number() != lkey) {
      key = lkeys.find(lkey);
      local = key;
    }
    return key;
  }

  /**
   * Finds the key of an element of a receive.
   *
   * @param lkey 32 bits
   * @return the key with the same upper 24 bits; null if there is none
   */
  public final @Nullable Key receive(int lkey) {
    Key key = receive;
    if (key == null || key.number() != lkey) {
      key = lkeys.find(lkey);
      receive = key;
    }
    return key;
  }

  /**
   * Finds the key of this side's memory that the peer's request names.
   *
   * @param rkey 32 bits
   * @return the key with the same upper 24 bits; null if there is none
   */
  public final @Nullable Key remote(int rkey) {
    Key key = remote;
    if (key == null || key.number() != rkey) {
      key = rkeys.find(rkey);
      remote = key;
    }
    return key;
  }

  /**
   * Forgets a key: one that did not admit an access, since its number may by now be that of another
   * key in the table; or one that was closed for good and taken out of the table, once the queue
   * pair's claim was seen free after that. Then no key of memory that has gone is kept, since no
   * thread can find the key again.
   *
   * @param gone the key
   */
  public final void forget(Key gone) {
    if (local == gone) {
      local = null;
    }
    if (receive == gone) {
      receive = null;
    }
    if (remote == gone) {
      remote = null;
    }
  }

  /** Forgets all keys and elements. */
  public final void clear() {
    elements(NONE, 0, 0);
    local = null;
    receive = null;
    remote = null;
  }
}
