package ib.driver.verbs.object;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The memory regions of a device by their local keys. Any thread may find, without a lock. */
final class Regions {
  /** Keys in order, and the region of each. */
  private record Index(int[] keys, VerbsMr[] regions) {}

  private volatile Index index = new Index(new int[0], new VerbsMr[0]);

  synchronized void add(int lkey, VerbsMr region) {
    Index now = index;
    int at = Arrays.binarySearch(now.keys, lkey);
    int place = at >= 0 ? at : -at - 1;
    int n = now.keys.length;
    int[] keys = Arrays.copyOf(now.keys, at >= 0 ? n : n + 1);
    VerbsMr[] regions = Arrays.copyOf(now.regions, keys.length);
    if (at < 0) {
      System.arraycopy(now.keys, place, keys, place + 1, n - place);
      System.arraycopy(now.regions, place, regions, place + 1, n - place);
    }
    keys[place] = lkey;
    regions[place] = region;
    index = new Index(keys, regions);
  }

  synchronized void remove(int lkey, VerbsMr region) {
    Index now = index;
    int at = Arrays.binarySearch(now.keys, lkey);
    if (at < 0 || !now.regions[at].equals(region)) {
      return; // the kernel has given the key to another region meanwhile
    }
    int n = now.keys.length - 1;
    int[] keys = Arrays.copyOf(now.keys, n);
    VerbsMr[] regions = Arrays.copyOf(now.regions, n);
    System.arraycopy(now.keys, at + 1, keys, at, n - at);
    System.arraycopy(now.regions, at + 1, regions, at, n - at);
    index = new Index(keys, regions);
  }

  @Nullable VerbsMr find(int lkey) {
    Index now = index;
    int at = Arrays.binarySearch(now.keys, lkey);
    return at < 0 ? null : now.regions[at];
  }
}
