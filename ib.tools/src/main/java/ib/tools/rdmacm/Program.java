package ib.tools.rdmacm;

import ib.tools.getopt.CommandException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A program by its name: its address arguments, its Ctrl-C, the line that says where it listens.
 *
 * @param name how its messages begin
 */
public record Program(String name) {
  private static final int INTERRUPTED = 130; // the shell's status for SIGINT
  private static final long LOOK_MS = 200;

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
