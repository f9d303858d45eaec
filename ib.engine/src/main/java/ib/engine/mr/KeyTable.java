package ib.engine.mr;

import org.jspecify.annotations.Nullable;

/** All local or all remote keys of a device, by their upper 24 bits. Any thread may call. */
public final class KeyTable {
  private final IntTable<Key> keys = new IntTable<>();

  /** Creates an empty table. */
  public KeyTable() {}

  /**
   * Finds a key. Takes no lock.
   *
   * @param number 32 bits
   * @return the key with the same upper 24 bits, whose low byte may differ; null if there is none
   */
  public @Nullable Key find(int number) {
    return keys.find(number >>> 8);
  }

  /**
   * Returns whether an index is in use.
   *
   * @param index upper 24 bits of a key
   * @return whether there is a key with this index
   */
  public boolean has(int index) {
    return keys.find(index) != null;
  }

  /**
   * Adds a key.
   *
   * @param key the key
   */
  public void put(Key key) {
    keys.put(key.index(), key);
  }

  /**
   * Removes a key.
   *
   * @param key the key
   */
  public void remove(Key key) {
    keys.remove(key.index());
  }
}
