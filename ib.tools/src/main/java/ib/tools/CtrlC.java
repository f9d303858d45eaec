package ib.tools;

import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.CommandSessionListener;
import org.apache.felix.service.command.Job;
import org.jline.reader.LineReader;
import org.jline.terminal.Terminal;
import org.osgi.service.component.annotations.Component;

/**
 * Lets Ctrl-C end a running command of this bundle in order. A session without a terminal has a
 * variable that does the same, for the launcher, which calls it before the framework stops. When
 * the shell is about to run a line of its terminal, {@link Interrupts} becomes the terminal's
 * handler of the signal. The shell's own interrupt is for the other commands, and for the second
 * Ctrl-C. The session's thread calls; the handler runs on a thread of the terminal.
 */
@Component(service = CommandSessionListener.class)
public final class CtrlC implements CommandSessionListener {
  private static final String INTERRUPT = ".ib.interrupt";

  /** Called by DS. */
  public CtrlC() {}

  @Override
  public void beforeExecute(CommandSession session, CharSequence line) {
    // while a line is read, the reader has the signal; then the shell only completes words
    if (session.get(".terminal") == null) {
      Interrupts interrupts = Interrupts.attach(session);
      session.put(INTERRUPT, (Runnable) () -> interrupt(session, interrupts));
    } else if (session.get(".terminal") instanceof Terminal terminal
        && session.get(".reader") instanceof LineReader reader
        && !reader.isReading()) {
      Interrupts interrupts = Interrupts.attach(session);
      terminal.handle(Terminal.Signal.INT, signal -> interrupt(session, interrupts));
    }
  }

  private static void interrupt(CommandSession session, Interrupts interrupts) {
    Job job = session.foregroundJob();
    if (job != null && !interrupts.interrupt(job)) {
      job.interrupt();
    }
  }

  @Override
  public void afterExecute(CommandSession session, CharSequence line, Exception exception) {
    // the handler stays until the next line
  }

  @Override
  public void afterExecute(CommandSession session, CharSequence line, Object result) {
    // the handler stays until the next line
  }
}
