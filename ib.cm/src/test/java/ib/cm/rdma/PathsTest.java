package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.sa.PathRecord;
import ib.core.verbs.Gid;
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
    return paths.find(
        question,
        q -> {
          asked++;
          return new PathRecord();
        });
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
        paths.find(
            question,
            q -> {
              paths.forget();
              return new PathRecord();
            });
    assertNotSame(old, find());
  }

  @Test
  @DisplayName("RD-4: a question that fails is asked again; the oldest of 1,024 paths goes")
  void bounded() {
    assertThrows(
        IllegalStateException.class,
        () ->
            paths.find(
                question,
                q -> {
                  throw new IllegalStateException("no answer");
                }));
    PathRecord first = find();
    assertEquals(1, asked);
    for (int i = 1; i <= Paths.MAX_RECORDS; i++) {
      paths.find(
          new Paths.Question(site, Gid.linkLocal(1), Gid.linkLocal(1_000 + i), 0xffff),
          q -> new PathRecord());
    }
    assertNotSame(first, find());
    assertEquals(2, asked);
  }
}
