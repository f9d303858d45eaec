package ib.engine.mr;

import org.jspecify.annotations.Nullable;

/** All local or all remote keys of a device, by their upper 24 bits. Any thread may call. */
public final class KeyTable {
  private final IntTable<MrKey> keys = new IntTable<>();

  /** Creates an empty table. */
  public KeyTable() {}

  /**
   * Finds a key. Takes no lock.
   *
   * @param number 32 bits
   * @return the key with the same upper 24 bits, whose low byte may differ; null if there is none
   */
  public @Nullable MrKey find(int number) {
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
  public void put(MrKey key) {
    keys.put(key.index(), key);
  }

  /**
   * Removes a key.
   *
   * @param key the key
   */
  public void remove(MrKey key) {
    keys.remove(key.index());
  }
}
