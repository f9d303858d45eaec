package ib.tools.perftest;

import ib.cm.CmClient;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.client.IbCore;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.rdmacm.Program;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * perftest with {@code -R} and {@code -z}: a first connection by address carries the exchange, and
 * with {@code -R} further ones are those under test. The device is the one that has the address.
 */
public final class CmRuns implements ByAddress {
  private static final RdmaOptions EXCHANGE = RdmaOptions.rc().reads(0, 0);

  private final IbCore core;
  private final CmClient manager;

  /**
   * Creates what runs tests.
   *
   * @param core the midlayer
   * @param manager its connection manager
   */
  public CmRuns(IbCore core, CmClient manager) {
    this.core = core;
    this.manager = manager;
  }

  @Override
  public void run(Perftest run) {
    Program program = new Program(run.options.tool().program());
    program.run(
        core,
        manager,
        cm -> {
          run.begin();
          One one = new One(run, program, cm);
          String host = run.options.host();
          if (host == null) {
            one.serve();
          } else {
            one.visit(new InetSocketAddress(program.address(host), run.options.port()));
          }
        });
  }

  /** One run. */
  private record One(Perftest run, Program program, RdmaCm cm) {
    PerftestOptions options() {
      return run.options;
    }

    void visit(InetSocketAddress to) {
      Control control = new Control(program, true);
      RdmaOptions how = program.from(EXCHANGE, options().bind());
      try (RdmaConnection c = cm.start(to, how, control, control)) {
        test(control, c, pairs -> pairs.connect(cm, to));
      }
    }

    void serve() {
      String bind = options().bind();
      InetAddress at = program.address(bind == null ? "0.0.0.0" : bind);
      boolean datagrams = options().type() == QpType.UD && options().cm().queuePairs();
      try (Ear first = new Ear(this, PortSpace.TCP, new InetSocketAddress(at, options().port()));
          Ear then = datagrams ? new Ear(this, PortSpace.UDP, first.address()) : first) {
        program.sayListening(run.err, first.address());
        RdmaRequest request = first.next();
        Control control = new Control(program, false);
        try (RdmaConnection c = request.accept(EXCHANGE, control, control)) {
          InetAddress client = request.remoteAddress().getAddress();
          test(
              control,
              c,
              pairs -> {
                pairs.accept(then::next, client);
                first.stop(); // what comes now is another client's, which may ask again
                then.stop();
              });
        }
      }
    }

    private void test(Control control, RdmaConnection connection, Consumer<Pairs> meet) {
      Side.Place place = control.awaitPlace(connection);
      IbDevice device = place.device();
      String wanted = options().device();
      if (wanted != null && !wanted.equals(device.name())) {
        throw new CommandException(
            program.name()
                + ": the peer is met at device "
                + device.name()
                + ", not "
                + wanted
                + ": leave -d out, or take an address of "
                + wanted);
      }
      int index = options().gidIndex();
      if (index < 0) {
        index = gidIndex(place, connection.localAddress().getAddress());
      }
      Runnable stop = control::goOn;
      Side.Place at = new Side.Place(device, place.port(), index);
      Perftest here = run.at(device.name(), stop);
      control.inUse.lock();
      try (Side side = new Side(at, options(), run.wakeUp);
          Talk talk = new Talk(control, stop);
          Pairs pairs = new Pairs(options(), side, device, stop)) {
        meet(here, side, talk, pairs, meet);
      } finally {
        control.inUse.unlock();
      }
    }

    private void meet(
        Perftest here, Side side, Talk talk, Pairs pairs, Consumer<Pairs> connecting) {
      try {
        here.meet(side, talk, () -> connect(side, talk, pairs, connecting));
      } catch (CommandException e) { // requests that were flushed do not say why
        RdmaEnd how = pairs.end().orElse(null);
        if (how == null) {
          throw e;
        }
        CommandException because =
            new CommandException(e.getMessage() + "\n" + how + "\n" + how.why().getMessage());
        because.initCause(e);
        throw because;
      }
    }

    private void connect(Side side, Talk talk, Pairs pairs, Consumer<Pairs> meet) {
      if (!options().cm().queuePairs()) {
        side.open();
        return;
      }
      talk.keys(Key.NONE); // both ends are ready to meet
      meet.accept(pairs);
      talk.keys(Key.NONE);
    }

    /** {@return index of the GID that is the address; negative for LIDs} */
    private static int gidIndex(Side.Place at, InetAddress address) {
      IbDevice device = at.device();
      if (device.port(at.port()).linkLayer() != LinkLayer.ETHERNET) {
        return -1;
      }
      Gid gid =
          address instanceof Inet4Address
              ? Gid.parse("::ffff:" + address.getHostAddress())
              : Gid.of(address.getAddress());
      return device.findGid(at.port(), gid);
    }
  }

  /** A listener of the server, and the requests that it has heard. */
  private static final class Ear implements AutoCloseable {
    private final BlockingQueue<RdmaRequest> heard = new LinkedBlockingQueue<>();
    private final Program program;
    private final RdmaListener listener;

    Ear(One one, PortSpace space, InetSocketAddress at) {
      program = one.program;
      listener = one.cm.listen(at, space, one.options().queuePairs() + 1, heard::add);
    }

    InetSocketAddress address() {
      return listener.localAddress();
    }

    RdmaRequest next() {
      return program.take(heard);
    }

    /** Listens no more; requests that wait are rejected. */
    void stop() {
      listener.close();
    }

    @Override
    public void close() {
      stop();
    }
  }
}
