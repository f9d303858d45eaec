package ib.verifier.check;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Where locks were made: the class of a lock that is read from no field, for example of a map or an
 * array. A lock that is gone is forgotten. Any thread may call.
 */
final class Sites {
  private final ConcurrentMap<Key, String> sites = new ConcurrentHashMap<>();
  private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

  /** The code has made a lock, or a pair of locks, which are one class. */
  void made(Object lock, String site) {
    for (Reference<?> old = gone.poll(); old != null; old = gone.poll()) {
      sites.remove(old);
    }
    sites.put(new Key(lock, gone), site);
    if (lock instanceof ReadWriteLock two) {
      sites.put(new Key(two.readLock(), gone), site);
      sites.put(new Key(two.writeLock(), gone), site);
    }
  }

  /** {@return where a lock was made, or an empty text} */
  String of(Object lock) {
    return sites.getOrDefault(new Key(lock, null), "");
  }

  /** An object as a key: itself, whatever its equals says. */
  private static final class Key extends WeakReference<Object> {
    private final int hash;

    Key(Object lock, @Nullable ReferenceQueue<Object> gone) {
      super(lock, gone);
      this.hash = System.identityHashCode(lock);
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    public boolean equals(Object other) {
      Object mine = get();
      return this == other || other instanceof Key key && mine != null && mine == key.get();
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
