package ib.core.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("S23: where serials run")
@Timeout(600)
class PlaceTest {
  /** Hands out the threads of its runs, with the class loader that they had. */
  private static final class Task extends Serial {
    record Run(Thread thread, ClassLoader loader) {}

    final LinkedBlockingQueue<Run> runs = new LinkedBlockingQueue<>();

    Task(Place place) {
      super(place);
    }

    @Override
    protected void call() {
      Thread self = Thread.currentThread();
      runs.add(new Run(self, self.getContextClassLoader()));
    }

    Run take() throws InterruptedException {
      Run run = runs.poll(10, TimeUnit.MINUTES);
      if (run == null) {
        throw new AssertionError("it does not run");
      }
      return run;
    }
  }

  @Test
  @DisplayName("S23: a burst of runs has a virtual thread of its own, without the waker's loader")
  void virtual() throws InterruptedException {
    Task task = new Task(Place.virtual("place-"));
    Thread self = Thread.currentThread();
    ClassLoader before = self.getContextClassLoader();
    self.setContextClassLoader(new ClassLoader("waker", before) {});
    try {
      task.schedule();
    } finally {
      self.setContextClassLoader(before);
    }
    Task.Run run = task.take();
    assertTrue(run.thread().isVirtual());
    assertEquals("place-0", run.thread().getName());
    assertSame(Place.class.getClassLoader(), run.loader());
  }

  @Test
  @DisplayName("S23: an executor gets each run once, and runs it when it likes to")
  void executor() throws InterruptedException {
    List<Runnable> taken = new ArrayList<>();
    Task task = new Task(Place.of(taken::add));
    task.schedule();
    task.schedule();
    assertEquals(1, taken.size());
    assertTrue(task.runs.isEmpty());
    taken.getFirst().run();
    assertSame(Thread.currentThread(), task.take().thread());
    assertTrue(task.runs.isEmpty());
  }

  @Test
  @DisplayName(
      "2.6-4: the wait for a thread is over when the thread has ended; the thread holds it")
  void endOfThread() throws InterruptedException {
    LinkedBlockingQueue<String> go = new LinkedBlockingQueue<>();
    Thread thread = Thread.ofVirtual().name("works").start(() -> takes(go));
    EndOf end = new EndOf(thread);
    assertFalse(end.over());
    List<Thread> holders = new ArrayList<>();
    end.holders(holders::add);
    assertEquals(List.of(thread), holders);
    assertEquals("the end of thread works", end.text());
    go.add("go");
    thread.join();
    assertTrue(end.over());
  }

  private static void takes(LinkedBlockingQueue<String> go) {
    try {
      go.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
