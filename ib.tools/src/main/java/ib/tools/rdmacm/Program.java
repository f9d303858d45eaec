package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.IbCore;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.InvalidPathException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program by its name: its address arguments, its Ctrl-C, the line that says where it listens.
 *
 * @param name how its messages begin
 */
public record Program(String name) {
  private static final int INTERRUPTED = 130; // the shell's status for SIGINT
  private static final long LOOK_MS = 200;

  /** The work of a program. */
  @FunctionalInterface
  public interface Body {
    /** Runs it. */
    void run(RdmaCm cm) throws IOException;
  }

  /**
   * Runs the program with RDMA CM.
   *
   * @throws CommandException when the program fails, or the user stops the run
   */
  public void run(IbCore core, CmClient manager, Body body) {
    try (RdmaCm cm = RdmaCm.open(core, manager, name + ":" + Thread.currentThread().threadId())) {
      body.run(cm);
    } catch (ClosedByInterruptException e) {
      throw interrupted();
    } catch (InvalidPathException | IOException | IbException e) {
      throw new CommandException(name + ": " + e.getMessage());
    }
  }

  /** {@return the failure of a run that the user has stopped} */
  public CommandException interrupted() {
    return new CommandException(INTERRUPTED, name + ": interrupted");
  }

  /**
   * Ends the run if the user has stopped it.
   *
   * @throws CommandException then
   */
  public void goOn() {
    if (Thread.interrupted()) {
      throw interrupted();
    }
  }

  /**
   * {@return the address of a host}
   *
   * @throws CommandException when the name has none
   */
  public InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new CommandException(
          name + ": unknown address " + text + ". Try: a GID or an address of ibv_devinfo -v", e);
    }
  }

  /** {@return a host and the port of the option {@code port}} */
  InetSocketAddress at(String host, Parsed line, int usual) {
    return new InetSocketAddress(address(host), line.number("port", usual, 0, 65_535));
  }

  /** {@return options with an address of this end; the options themselves where it is null} */
  public RdmaOptions from(RdmaOptions how, @Nullable String source) {
    return source == null ? how : how.from(new InetSocketAddress(address(source), 0));
  }

  /** Says where a server listens, so that a script can wait for it. */
  public void sayListening(PrintStream err, InetSocketAddress at) {
    boolean all = at.getAddress().isAnyLocalAddress();
    String where = all ? "every address" : at.getAddress().getHostAddress();
    err.println(name + ": listening on " + where + ", port " + at.getPort());
  }

  /**
   * Waits for a while.
   *
   * @throws CommandException when the user stops the run
   */
  public void pause(int seconds) {
    try {
      if (new CountDownLatch(1).await(seconds, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the latch is never counted down");
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Waits for what comes next.
   *
   * @throws CommandException when the user stops the run
   */
  public <T> T take(BlockingQueue<T> queue) {
    try {
      T next = null;
      while (next == null) {
        goOn();
        next = queue.poll(LOOK_MS, TimeUnit.MILLISECONDS);
      }
      return next;
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }
}
