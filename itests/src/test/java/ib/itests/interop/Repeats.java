package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is run a second time because of a known fault of rdma_rxe. When its timer goes off while the
 * answer is on its way, which happens when a loaded machine emulates it, and the answer then ends a
 * message, it begins the next one a number too late (with an empty WRITE ONLY or SEND ONLY of the
 * message that was done), so a right responder refuses what follows, and a requester hears nothing
 * more. Each such case is named in the log when it happens; the last test of the lane names all of
 * them, and fails when there were too many.
 */
final class Repeats {
  /** How many of the lane's cases may need it: one in twenty; 2 of 164 were seen. */
  static final int MAX_REPEATS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Repeats.class);

  private final List<String> names = new ArrayList<>();

  /**
   * Runs a test.
   *
   * @param run the test; a failure after which nothing was sent again counts at once, any other one
   *     when it happens twice
   * @param sentAgain whether rdma_rxe has sent anything again meanwhile
   */
  void run(Lane.Run run, BooleanSupplier sentAgain) throws Exception {
    try {
      run.run();
    } catch (AssertionError | ExecutionException e) {
      if (!sentAgain.getAsBoolean()) {
        e.addSuppressed(new AssertionError("rdma_rxe had sent nothing again"));
        throw e;
      }
      names.add(name(e));
      LOG.warn("REPEATED, since rdma_rxe had sent something again: {}", names.getLast(), e);
      run.run();
    }
  }

  private static String name(Throwable why) {
    StackTraceElement test =
        Arrays.stream(why.getStackTrace())
            .filter(f -> f.getClassName().startsWith("ib.itests.interop."))
            .reduce((inner, outer) -> outer)
            .orElse(why.getStackTrace()[0]);
    return test + ": " + why.getMessage();
  }

  /** {@return what was run a second time} */
  List<String> names() {
    return names;
  }

  /** Fails when too much was run a second time. */
  void check() {
    LOG.info("{} cases were run a second time: {}", names.size(), names);
    assertTrue(
        names.size() + " cases were run a second time: " + names, names.size() <= MAX_REPEATS);
  }
}
