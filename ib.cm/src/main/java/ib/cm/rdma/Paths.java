package ib.cm.rdma;

import ib.core.sa.PathRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.IbTimedOutException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * The path records that a subnet administrator has given within the last second, so that many
 * connections to one peer ask once; those that begin meanwhile wait for the same answer. A record
 * is no older than that, as one is whose answer has taken a second. All are forgotten at an event
 * of a port or a device, those to a peer when a connection to it was not made. Any thread may call.
 * The monitor of this object guards the map; no question is asked under it.
 */
final class Paths {
  /** How long a record counts, in nanoseconds. */
  static final long MAX_AGE_NS = 1_000_000_000L;

  static final int MAX_RECORDS = 1_024;

  private static final int FIRST_MS = 1_000;

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

  /** Questions that are not answered yet. */
  private final Map<Question, CompletableFuture<PathRecord>> asking = new HashMap<>();

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
   * {@return the path that the subnet administrator has given, or will give}
   *
   * @param ask asks it
   */
  CompletableFuture<PathRecord> find(
      Question question, Function<Question, CompletableFuture<PathRecord>> ask) {
    long now = clock.getAsLong();
    CompletableFuture<PathRecord> mine = new CompletableFuture<>();
    long before;
    synchronized (this) {
      Answer known = answers.get(question);
      if (known != null && now - known.askedNs <= MAX_AGE_NS) {
        return CompletableFuture.completedFuture(known.path);
      }
      CompletableFuture<PathRecord> other = asking.putIfAbsent(question, mine);
      if (other != null) {
        return other;
      }
      before = forgotten;
    }
    CompletableFuture<PathRecord> answer;
    try {
      answer = ask.apply(question);
    } catch (Throwable e) { // of code that is not ours
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (path, why) -> {
          synchronized (this) {
            asking.remove(question, mine);
            if (why == null && before == forgotten) {
              answers.remove(question); // the new one is the youngest
              answers.put(question, new Answer(path, now));
            }
          }
          if (why == null) {
            mine.complete(path);
          } else {
            mine.completeExceptionally(why);
          }
        });
    return mine;
  }

  /**
   * Asks as rsockets do: for a second, and when nothing has answered for two more (RS-12). So the
   * first ten questions are a tenth of a second apart, as of Linux's {@code
   * rdma_resolve_route(1000)}.
   *
   * @param within asks for a path, in so many milliseconds
   */
  static CompletableFuture<PathRecord> ask(IntFunction<CompletableFuture<PathRecord>> within) {
    return within
        .apply(FIRST_MS)
        .exceptionallyCompose(
            why -> {
              Throwable cause = why instanceof CompletionException ? why.getCause() : why;
              return cause instanceof IbTimedOutException
                  ? within.apply(2 * FIRST_MS)
                  : CompletableFuture.failedFuture(why);
            });
  }

  /** Something has changed. */
  synchronized void forget() {
    forgotten++;
    answers.clear();
    asking.clear();
  }

  /** A connection to a peer was not made. */
  synchronized void forget(Gid to) {
    forgotten++;
    answers.keySet().removeIf(q -> q.to.equals(to));
    asking.keySet().removeIf(q -> q.to.equals(to));
  }
}
