package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.client.IbCore;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Two devices and a connection manager, and the runs of one program of librdmacm on them. */
final class CmWorld implements AutoCloseable {
  /** A program, as the shell's commands call it. */
  @FunctionalInterface
  interface Program {
    void run(IbCore core, CmClient cm, PrintStream out, PrintStream err, String... args);
  }

  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");
  private final CmClient cm = CmClient.create();
  private final ClientRegistration registered = fabric.core().registerClient(cm);
  private final Program program;

  CmWorld(Program program) {
    this.program = program;
  }

  /** {@return an address of the second device} */
  String address() {
    return fabric.device("soft1").gid(1, 0).toString();
  }

  CmClient manager() {
    return cm;
  }

  SoftFabric fabric() {
    return fabric;
  }

  /** Starts the program on a thread of its own. */
  Run start(String line) {
    return new Run(line);
  }

  @Override
  public void close() {
    assertEquals(1, Left.clients(fabric.core()).size(), "only the connection manager is left");
    registered.unregister();
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    assertEquals(List.of(), fabric.core().violations());
    fabric.close();
  }

  /** One run, and what it prints. */
  final class Run {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final FutureTask<Void> task;
    private final Thread thread;

    private Run(String line) {
      String[] args = line.split(" ");
      task = new FutureTask<>(() -> program.run(fabric.core(), cm, to(out), to(err), args), null);
      thread = Thread.ofPlatform().start(task);
    }

    private static PrintStream to(ByteArrayOutputStream bytes) {
      return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /** Waits until the server listens. */
    Run listening() {
      while (err().isEmpty() && !task.isDone()) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      assertEquals(1, err().size(), task::toString);
      return this;
    }

    /** {@return the port at which the server listens, the last word of its line} */
    String port() {
      return listening().err().getFirst().replaceAll(".* ", "");
    }

    /** Waits until the table or the pings have begun. */
    Run begun() {
      while (out.size() == 0 && !task.isDone()) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      return this;
    }

    Run done() throws Exception {
      task.get(2, TimeUnit.MINUTES);
      return this;
    }

    CommandException failed() {
      ExecutionException e = assertThrows(ExecutionException.class, this::done);
      return (CommandException) e.getCause();
    }

    void interrupt() {
      thread.interrupt();
    }

    List<String> out() {
      return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    List<String> err() {
      return err.toString(StandardCharsets.UTF_8).lines().toList();
    }
  }
}
