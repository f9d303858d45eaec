package ib.cm.rdma;

import ib.core.sa.PathRecord;
import ib.core.verbs.Gid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The path records that a subnet administrator has given within the last second, so that many
 * connections to one peer ask once. A record is no older than that, as one is whose answer has
 * taken a second. All are forgotten at an event of a port or a device, those to a peer when a
 * connection to it was not made. Any thread may call. The monitor of this object guards the map; no
 * question is asked under it.
 */
final class Paths {
  /** How long a record counts, in nanoseconds. */
  static final long MAX_AGE_NS = 1_000_000_000L;

  static final int MAX_RECORDS = 1_024;

  /**
   * A question for a path.
   *
   * @param site the port to leave by
   * @param from its GID
   * @param to the peer's GID
   * @param pkey the partition
   */
  record Question(Site site, Gid from, Gid to, int pkey) {}

  private record Answer(PathRecord path, long askedNs) {}

  private final LongSupplier clock;
  private final Map<Question, Answer> answers =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Answer> eldest) {
          return size() > MAX_RECORDS;
        }
      };

  /** How often records were forgotten: an answer that was asked for before does not count. */
  private long forgotten;

  /**
   * Creates an empty book.
   *
   * @param clock nanoseconds, from any beginning
   */
  Paths(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * {@return the path that the subnet administrator has given, or gives now}
   *
   * @param ask asks it, and waits
   */
  PathRecord find(Question question, Function<Question, PathRecord> ask) {
    long now = clock.getAsLong();
    long before;
    synchronized (this) {
      Answer known = answers.get(question);
      if (known != null && now - known.askedNs <= MAX_AGE_NS) {
        return known.path;
      }
      before = forgotten;
    }
    PathRecord path = ask.apply(question);
    synchronized (this) {
      if (before == forgotten) {
        answers.remove(question); // the new one is the youngest
        answers.put(question, new Answer(path, now));
      }
    }
    return path;
  }

  /** Something has changed. */
  synchronized void forget() {
    forgotten++;
    answers.clear();
  }

  /** A connection to a peer was not made. */
  synchronized void forget(Gid to) {
    forgotten++;
    answers.keySet().removeIf(q -> q.to.equals(to));
  }
}
