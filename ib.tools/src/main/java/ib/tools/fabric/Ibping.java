package ib.tools.fabric;

import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.verbs.AhAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@code ibping}: sends datagrams of OpenIB's vendor class to a port where {@code ibping -S}
 * answers, in this runtime or on another host. Ends after {@code -c} datagrams or by an interrupt.
 */
public final class Ibping {
  private static final String NAME = "ibping";
  private static final int FAILED = 255;
  private static final int CLASS = 0x32; // OpenIB ping
  private static final int OUI = 0x001405;
  private static final int ANSWER_MS = 1_000;
  private static final int PAUSE_MS = 1_000;

  private Ibping() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param out each answer is printed here when it arrives
   * @param err each lost datagram is reported here
   * @param args the original's options {@code -c -f -S -C -P -t} and a LID
   * @return the statistics, or the usage
   * @throws CommandException when an option is wrong or there is no such port
   */
  public static @Nullable String run(
      IbCore core, PrintStream out, PrintStream err, String... args) {
    String[] known =
        Options.with(Usage.of(NAME), "c,count=", "f,flood", "o,oui=", "S,Server", "s,sm_port=");
    Parsed line = Options.parse(NAME, args, known);
    if (line.operands().isEmpty() && !line.has("Server")) {
      throw line.usage();
    }
    LocalPort port = LocalPort.of(core, NAME, line);
    if (line.has("Server")) {
      serve(core, port);
      return null;
    }
    int lid = lid(core, port, line);
    long count = line.number("count", Long.MAX_VALUE, 1, Long.MAX_VALUE);
    try (DeviceLease lease = core.lease(port.device(), NAME);
        MadAgent agent = agent(lease.device(), port.number(), Set.of(), MadHandler.NONE)) {
      AhAttr way = AhAttr.ofLid(port.number(), lid, 0);
      Pinger pinger = new Pinger(agent, MadAddress.gsi(way), out, err, lid);
      return pinger.run(count, line.has("flood"), line.number("timeout", ANSWER_MS, 1, 60_000));
    } catch (IbException e) {
      throw CommandException.iberror(NAME, "failed", e);
    }
  }

  /** {@return the LID that the operand names; a GUID is looked for in the fabric} */
  private static int lid(IbCore core, LocalPort port, Parsed line) {
    try (Smi smi = Smi.open(core, port, NAME, Options.timeoutMs(line))) {
      if (Destination.of(NAME, smi, line, line.operands().getFirst()) instanceof Route.Lid found) {
        return found.lid();
      }
    } catch (IbException e) {
      throw CommandException.iberror(NAME, "failed", e);
    }
    throw CommandException.iberror(NAME, "no directed routes: datagrams go by LID", null);
  }

  private static MadAgent agent(IbDevice device, int port, Set<Integer> methods, MadHandler h) {
    MadRegistration what = new MadRegistration(QpType.GSI, CLASS, 1, methods, OUI, false);
    return MadAgent.register(device, port, what, h);
  }

  // ---- the client ----

  /** One run of the command. */
  private static final class Pinger {
    private final MadAgent agent;
    private final MadAddress to;
    private final PrintStream out;
    private final PrintStream err;
    private final int lid;
    private long sent;
    private long received;
    private long minNs = Long.MAX_VALUE;
    private long maxNs;
    private long sumNs;
    private String from = "";

    Pinger(MadAgent agent, MadAddress to, PrintStream out, PrintStream err, int lid) {
      this.agent = agent;
      this.to = to;
      this.out = out;
      this.err = err;
      this.lid = lid;
    }

    String run(long count, boolean flood, int timeoutMs) {
      long startNs = System.nanoTime();
      CountDownLatch never = new CountDownLatch(1);
      try {
        while (sent < count) {
          once(timeoutMs, flood);
          if (!flood && sent < count) {
            never.await(PAUSE_MS, TimeUnit.MILLISECONDS);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // Ctrl-C ends the run; the statistics are printed
      }
      return statistics(System.nanoTime() - startNs);
    }

    private void once(int timeoutMs, boolean quiet) throws InterruptedException {
      long beforeNs = System.nanoTime();
      Mad ping = Mad.request(CLASS, 1, MadMethod.GET, 0, 0);
      sent++;
      try {
        MadReceived pong =
            agent.query(ping, to, timeoutMs, 0).get(timeoutMs + ANSWER_MS, TimeUnit.MILLISECONDS);
        long ns = System.nanoTime() - beforeNs;
        int status = pong.mad().header().status();
        if (status != 0) { // no ibping -S runs there: the port itself refuses the request
          warn(quiet, String.format("refused with status 0x%x", status));
          return;
        }
        received++;
        minNs = Math.min(minNs, ns);
        maxNs = Math.max(maxNs, ns);
        sumNs += ns;
        from = text(pong.mad().data());
        if (!quiet) {
          out.printf("Pong from %s (Lid %d): time %s ms%n", from, lid, ms(ns));
        }
      } catch (TimeoutException e) {
        warn(quiet, noAnswer(timeoutMs));
      } catch (ExecutionException e) {
        Throwable why = Objects.requireNonNull(e.getCause());
        boolean late = why instanceof IbTimedOutException;
        warn(quiet, late ? noAnswer(timeoutMs) : String.valueOf(why.getMessage()));
      }
    }

    private static String noAnswer(int timeoutMs) {
      return "no answer within " + timeoutMs + " ms; ibnetdiscover lists the LIDs that are there";
    }

    private void warn(boolean quiet, String text) {
      if (!quiet) {
        err.printf("ibwarn: ibping: Lid %d: %s%n", lid, text);
      }
    }

    private String statistics(long ns) {
      long lost = sent == 0 ? 0 : 100 * (sent - received) / sent;
      return String.format(
          "\n--- %s (Lid %d) ibping statistics ---\n"
              + "%d packets transmitted, %d received, %d%% packet loss, time %d ms\n"
              + "rtt min/avg/max = %s/%s/%s ms",
          from,
          lid,
          sent,
          received,
          lost,
          TimeUnit.NANOSECONDS.toMillis(ns),
          ms(received == 0 ? 0 : minNs),
          ms(received == 0 ? 0 : sumNs / received),
          ms(maxNs));
    }

    private static String ms(long ns) {
      long us = ns / 1_000;
      return String.format("%d.%03d", us / 1_000, us % 1_000);
    }
  }

  private static String text(MemorySegment data) {
    byte[] bytes = data.toArray(ValueLayout.JAVA_BYTE);
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  // ---- the server ----

  /** Answers as long as its device is plugged, and closes its agent when the device is removed. */
  private static final class Server implements IbClient {
    private final LocalPort port;
    private volatile boolean added;

    Server(LocalPort port) {
      this.port = port;
    }

    @Override
    public String name() {
      return NAME + " -S";
    }

    @Override
    public boolean supports(DeviceInfo device) {
      return device.name().equals(port.device());
    }

    @Override
    public MadAgent add(IbDevice device) {
      MadAgent agent = agent(device, port.number(), Set.of(MadMethod.GET), this::answer);
      added = true;
      return agent;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object agent) {
      if (agent instanceof MadAgent a) {
        a.close();
      }
    }

    private void answer(MadAgent agent, MadReceived request) {
      Mad response = request.mad().response(0);
      byte[] name = (agent.device().info().name() + ".(none)").getBytes(StandardCharsets.UTF_8);
      response.data().copyFrom(MemorySegment.ofArray(name));
      agent.reply(request, response);
    }
  }

  private static void serve(IbCore core, LocalPort port) {
    Server server = new Server(port);
    ClientRegistration registration = core.registerClient(server);
    try {
      if (!server.added) {
        throw new CommandException(FAILED, "can't serve class " + CLASS + " on this port");
      }
      new CountDownLatch(1).await(); // until Ctrl-C, as the original
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      registration.unregister();
    }
  }
}
