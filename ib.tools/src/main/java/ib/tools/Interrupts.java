package ib.tools;

import java.util.HashMap;
import java.util.Map;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Job;
import org.jspecify.annotations.Nullable;

/**
 * The running commands of one session that Ctrl-C interrupts. The shell's own interrupt ends the
 * job at once while the command still runs; this one interrupts the command alone, and the job ends
 * with the command, after it has closed its objects. Any thread may call; guarded by this object's
 * monitor, which {@link ShellOutput} holds while it writes.
 */
final class Interrupts {
  private static final String VARIABLE = ".ib.interrupts";

  private final Map<Thread, Job> running = new HashMap<>();
  private final Map<Thread, Job> interrupted = new HashMap<>();

  /** Gives a session its interrupts, on the session's thread before it runs a line. */
  static Interrupts attach(CommandSession session) {
    Interrupts present = of(session);
    if (present != null) {
      return present;
    }
    Interrupts created = new Interrupts();
    session.put(VARIABLE, created);
    return created;
  }

  /** {@return the interrupts of a session; null when no terminal interrupts it} */
  static @Nullable Interrupts of(CommandSession session) {
    return session.get(VARIABLE) instanceof Interrupts present ? present : null;
  }

  /** Starts a command on the calling thread. */
  synchronized void enter(Job job) {
    running.put(Thread.currentThread(), root(job));
  }

  /**
   * Ends the command of the calling thread. Afterwards no interrupt of this command reaches the
   * thread.
   *
   * @return whether the command was interrupted; the thread's own mark is cleared then
   */
  synchronized boolean leave() {
    running.remove(Thread.currentThread());
    boolean was = interrupted.remove(Thread.currentThread()) != null;
    if (was) {
      Thread.interrupted(); // a command may keep the mark; the thread runs other commands later
    }
    return was;
  }

  /**
   * Interrupts the commands of a job that have not been interrupted yet.
   *
   * @return whether there was one
   */
  synchronized boolean interrupt(Job job) {
    boolean any = false;
    for (Map.Entry<Thread, Job> entry : running.entrySet()) {
      if (entry.getValue().equals(job) && interrupted.putIfAbsent(entry.getKey(), job) == null) {
        entry.getKey().interrupt();
        any = true;
      }
    }
    return any;
  }

  private static Job root(Job job) {
    Job root = job;
    while (root.parent() != null) {
      root = root.parent();
    }
    return root;
  }
}
