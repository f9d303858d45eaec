package ib.engine.mr;

import org.jspecify.annotations.Nullable;

/** All local or all remote keys of a device, found by their upper 24 bits. */
public final class KeyTable {
  private final IntTable<MrKey> keys = new IntTable<>();

  /** Makes an empty table. */
  public KeyTable() {}

  /**
   * Finds a key; any thread.
   *
   * @param number 32 bits
   * @return what stands at its place, which need not have the same low byte, or null
   */
  public @Nullable MrKey find(int number) {
    return keys.find(number >>> 8);
  }

  /**
   * Whether a place is taken.
   *
   * @param index upper 24 bits of a key
   * @return whether there is a key
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
