package ib.driver.verbs.object;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Objects by numbers that C carries for the driver: in the upper half of the ID of a work request,
 * as context of an object. A number that is not in the table, because its object has gone, finds
 * nothing (V10). A number has a place, and how often the place was used, so it returns only after
 * 2048 uses of the place. Any thread may find, without a lock.
 *
 * @param <T> kind of the objects
 */
final class Table<T> {
  private static final int PLACE_BITS = 20;
  private static final int PLACES = 1 << PLACE_BITS;
  private static final int USES = 1 << 31 - PLACE_BITS;
  private static final int FIRST_PLACES = 16;

  /** An object and its number. */
  private record Entry<T>(int number, T object) {}

  private volatile @Nullable Entry<T>[] entries = empty(FIRST_PLACES);

  @GuardedBy("this")
  private int[] uses = new int[FIRST_PLACES];

  @GuardedBy("this")
  private int next;

  @SuppressWarnings("unchecked")
  private static <T> @Nullable Entry<T>[] empty(int places) {
    return (@Nullable Entry<T>[]) new @Nullable Entry<?>[places];
  }

  /**
   * Adds an object.
   *
   * @return its number, from 1; 0 when the table is full
   */
  synchronized int add(T object) {
    @Nullable Entry<T>[] now = entries;
    int place = free(now);
    if (place < 0) {
      if (now.length == PLACES) {
        return 0;
      }
      place = now.length;
      now = Arrays.copyOf(now, 2 * place);
      uses = Arrays.copyOf(uses, 2 * place);
    } else {
      now = now.clone(); // a reader has the old array or the new one
    }
    next = place + 1;
    uses[place] = uses[place] % (USES - 1) + 1;
    int number = uses[place] << PLACE_BITS | place;
    now[place] = new Entry<>(number, object);
    entries = now;
    return number;
  }

  @GuardedBy("this")
  private int free(@Nullable Entry<T>[] now) {
    for (int i = 0; i < now.length; i++) {
      int place = (next + i) % now.length; // the place that was freed last is used last
      if (now[place] == null) {
        return place;
      }
    }
    return -1;
  }

  /** Takes an object out. */
  synchronized void remove(int number) {
    @Nullable Entry<T>[] now = entries.clone();
    int place = number & PLACES - 1;
    Entry<T> entry = place < now.length ? now[place] : null;
    if (entry != null && entry.number == number) {
      now[place] = null;
      entries = now;
    }
  }

  /** {@return the objects that are in the table now} */
  List<T> all() {
    List<T> all = new ArrayList<>();
    for (Entry<T> entry : entries) {
      if (entry != null) {
        all.add(entry.object);
      }
    }
    return all;
  }

  /** {@return the object of a number; null when there is none} */
  @Nullable T find(int number) {
    @Nullable Entry<T>[] now = entries;
    int place = number & PLACES - 1;
    Entry<T> entry = place < now.length ? now[place] : null;
    return entry == null || entry.number != number ? null : entry.object;
  }
}
