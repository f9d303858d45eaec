package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.sa.PathRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.IbTimedOutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Path records that are not asked for again. */
class PathsTest {
  private static final Gid PEER = Gid.linkLocal(2);

  private final World world = new World();
  private final Site site = Site.open(world.fabric.device("soft0"), 1, world.cm.open("soft0", 1));
  private final Paths.Question question = new Paths.Question(site, Gid.linkLocal(1), PEER, 0xffff);
  private long nowNs;
  private int asked;
  private final Paths paths = new Paths(() -> nowNs);

  @AfterEach
  void close() {
    site.close();
    world.close();
  }

  private PathRecord find() {
    return paths
        .find(
            question,
            q -> {
              asked++;
              return CompletableFuture.completedFuture(new PathRecord());
            })
        .join();
  }

  @Test
  @DisplayName("RD-4: a path counts for a second, and until something changes or a connect fails")
  void forgotten() {
    PathRecord first = find();
    nowNs += Paths.MAX_AGE_NS;
    assertSame(first, find());
    nowNs += 1;
    PathRecord second = find();
    assertNotSame(first, second);
    paths.forget(Gid.linkLocal(3));
    assertSame(second, find());
    paths.forget(PEER);
    PathRecord third = find();
    assertNotSame(second, third);
    paths.forget();
    assertNotSame(third, find());
    assertEquals(4, asked);
  }

  @Test
  @DisplayName("RD-4: an answer that was on its way when something changed counts once")
  void raced() {
    PathRecord old =
        paths
            .find(
                question,
                q -> {
                  paths.forget();
                  return CompletableFuture.completedFuture(new PathRecord());
                })
            .join();
    assertNotSame(old, find());
  }

  @Test
  @DisplayName("RD-4: a question that fails is asked again; the oldest of 1,024 paths goes")
  void bounded() {
    assertThrows(
        CompletionException.class,
        () ->
            paths
                .find(
                    question,
                    q -> {
                      throw new IllegalStateException("no answer");
                    })
                .join());
    PathRecord first = find();
    assertEquals(1, asked);
    for (int i = 1; i <= Paths.MAX_RECORDS; i++) {
      paths.find(
          new Paths.Question(site, Gid.linkLocal(1), Gid.linkLocal(1_000 + i), 0xffff),
          q -> CompletableFuture.completedFuture(new PathRecord()));
    }
    assertNotSame(first, find());
    assertEquals(2, asked);
  }

  @Test
  @DisplayName(
      "RD-4: who asks while an answer is on its way waits for it, unless all changed since")
  void shared() {
    List<CompletableFuture<PathRecord>> questions = new ArrayList<>();
    List<CompletableFuture<PathRecord>> answers = new ArrayList<>();
    Runnable ask =
        () ->
            answers.add(
                paths.find(
                    question,
                    q -> {
                      questions.add(new CompletableFuture<>());
                      return questions.getLast();
                    }));
    ask.run();
    ask.run();
    assertEquals(1, questions.size());
    paths.forget(PEER);
    ask.run();
    assertEquals(2, questions.size());
    paths.forget();
    ask.run();
    assertEquals(3, questions.size());
    questions.forEach(q -> q.complete(new PathRecord()));
    assertSame(answers.get(0).join(), answers.get(1).join());
    assertNotSame(answers.get(1).join(), answers.get(2).join());
    assertSame(answers.get(3).join(), find());
    assertEquals(0, asked);
    nowNs += Paths.MAX_AGE_NS + 1;
    ask.run();
    questions.getLast().completeExceptionally(new IllegalStateException("no answer"));
    assertThrows(CompletionException.class, answers.getLast()::join);
    find();
    assertEquals(1, asked, "nobody waits for a question that has failed");
  }

  @Test
  @DisplayName(
      "RS-12, F6: a path is asked for within a second, and then within two, ten times each")
  void patience() {
    List<Integer> within = new ArrayList<>();
    PathRecord path = new PathRecord();
    IntFunction<CompletableFuture<PathRecord>> second =
        ms -> {
          within.add(ms);
          return ms == 1_000
              ? CompletableFuture.failedFuture(new IbTimedOutException("a", "b", "c"))
              : CompletableFuture.completedFuture(path);
        };
    assertSame(path, Paths.ask(second).join());
    assertEquals(List.of(1_000, 2_000), within);
    within.clear();
    IntFunction<CompletableFuture<PathRecord>> never =
        ms -> {
          within.add(ms);
          return CompletableFuture.failedFuture(new IllegalStateException("refused"));
        };
    assertThrows(CompletionException.class, () -> Paths.ask(never).join());
    assertEquals(List.of(1_000), within, "a refusal is an answer");
  }
}
