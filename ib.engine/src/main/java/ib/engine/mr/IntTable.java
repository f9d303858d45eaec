package ib.engine.mr;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Maps random numbers (keys, queue pair numbers) to objects: a hash table with open addressing. Any
 * thread may call; readers take no lock, writers exclude each other. A slot is not reused for
 * another number before the table is rebuilt, so a reader cannot confuse two objects.
 *
 * @param <T> type of the objects
 */
public final class IntTable<T> {
  private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final int SLOTS_INITIAL = 64;

  private static final class Slots {
    final int[] keys;
    final @Nullable Object[] values;
    final boolean[] used; // used by writers only
    final int mask;
    int usedCount; // slots of present and removed objects

    Slots(int size) {
      keys = new int[size];
      values = new @Nullable Object[size];
      used = new boolean[size];
      mask = size - 1;
    }
  }

  private volatile Slots slots = new Slots(SLOTS_INITIAL);
  private int live;

  /** Creates an empty table. */
  public IntTable() {}

  /**
   * Finds an object. Takes no lock.
   *
   * @param key the number
   * @return the object; null if there is none
   */
  @SuppressWarnings("unchecked")
  public @Nullable T find(int key) {
    Slots s = slots;
    int mask = s.mask;
    int i = key & mask; // keys are random already
    for (int n = 0; n <= mask; n++) {
      Object v = VALUE.getAcquire(s.values, i);
      if (s.keys[i] == key && v != null) {
        return (T) v;
      }
      if (v == null && s.keys[i] == 0) {
        return null; // the slot was never used, because numbers are not 0
      }
      i = (i + 1) & mask;
    }
    return null;
  }

  /**
   * Adds an object.
   *
   * @param key number of the object, not 0 and not in the table
   * @param value the object
   */
  public synchronized void put(int key, T value) {
    if (2 * (slots.usedCount + 1) > slots.mask) {
      rebuild();
    }
    insert(slots, key, value);
    live++;
  }

  private static void insert(Slots s, int key, Object value) {
    int i = key & s.mask;
    while (s.used[i]) {
      i = (i + 1) & s.mask;
    }
    s.used[i] = true;
    s.usedCount++;
    s.keys[i] = key;
    VALUE.setRelease(s.values, i, value);
  }

  private void rebuild() {
    Slots old = slots;
    int size = SLOTS_INITIAL;
    while (size < 4 * (live + 1)) {
      size <<= 1;
    }
    Slots s = new Slots(size);
    for (int i = 0; i <= old.mask; i++) {
      Object v = old.values[i];
      if (v != null) {
        insert(s, old.keys[i], v);
      }
    }
    slots = s;
  }

  /**
   * Removes an object; readers that found it before may still use it.
   *
   * @param key number of the object
   * @return whether it was in the table
   */
  public synchronized boolean remove(int key) {
    Slots s = slots;
    int i = key & s.mask;
    while (s.used[i]) {
      if (s.keys[i] == key && s.values[i] != null) {
        VALUE.setRelease(s.values, i, (Object) null);
        live--;
        return true;
      }
      i = (i + 1) & s.mask;
    }
    return false;
  }

  /** {@return the number of objects} */
  public synchronized int size() {
    return live;
  }

  /**
   * Visits all objects that are in the table now.
   *
   * @param visitor must not change the table
   */
  @SuppressWarnings("unchecked")
  public void forEach(Consumer<T> visitor) {
    for (Object v : slots.values) {
      if (v != null) {
        visitor.accept((T) v);
      }
    }
  }
}
