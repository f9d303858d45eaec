package ib.cm.internal.link;

import ib.core.cm.Connector;
import ib.core.cm.ConnectorAnswer;
import ib.core.cm.ConnectorArrival;
import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorInquiry;
import ib.core.cm.ConnectorLink;
import ib.core.cm.ConnectorListener;
import ib.core.cm.ConnectorPending;
import ib.core.cm.ConnectorPsns;
import ib.core.cm.ConnectorQuestion;
import ib.core.cm.ConnectorSpace;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.Mtu;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A host's connection manager that does what a test says, and writes down what it is called. */
final class FakeConnector implements Connector {
  static final ConnectorEndpoint PEER = new ConnectorEndpoint(0x77, 3, 2, 7, false);
  static final ConnectorPsns PSNS = new ConnectorPsns(0x1111, 0x2222);

  /** Commands, in order. */
  final ConcurrentLinkedQueue<String> commands = new ConcurrentLinkedQueue<>();

  final Map<InetSocketAddress, Function<ConnectorArrival, ConnectorEvents>> listeners =
      new HashMap<>();
  final List<InetAddress> absent = new ArrayList<>();

  /** Addresses where another program of the host listens. */
  final List<InetAddress> taken = new ArrayList<>();

  final AtomicInteger closes = new AtomicInteger();
  volatile @Nullable ConnectorAttempt attempt;
  volatile @Nullable ConnectorEvents events;
  volatile @Nullable IbException refusal;

  final Map<InetSocketAddress, Consumer<ConnectorQuestion>> services = new HashMap<>();
  volatile @Nullable ConnectorInquiry inquiry;
  volatile @Nullable ConnectorAnswer answer;

  /** Called inside of resolve, with what hears the answer. */
  volatile Consumer<ConnectorAnswer> asking = a -> {};

  /** Called inside of connect, with what hears the events. */
  volatile Consumer<ConnectorEvents> connecting = e -> {};

  @Override
  public ConnectorLink connect(ConnectorAttempt what, ConnectorEvents by) {
    commands.add("connect");
    IbException why = refusal;
    if (why != null) {
      throw why;
    }
    attempt = what;
    events = by;
    connecting.accept(by);
    return new Link();
  }

  @Override
  public ConnectorListener listen(
      ConnectorSpace space,
      InetSocketAddress at,
      int backlog,
      Function<ConnectorArrival, ConnectorEvents> arrivals) {
    commands.add("listen " + space);
    refuse(at);
    listeners.put(at, arrivals);
    return () -> listeners.remove(at);
  }

  @Override
  public ConnectorPending resolve(ConnectorInquiry what, ConnectorAnswer by) {
    commands.add("resolve " + what.remote().getPort());
    IbException why = refusal;
    if (why != null) {
      throw why;
    }
    inquiry = what;
    answer = by;
    asking.accept(by);
    return () -> {
      commands.add("close");
      closes.incrementAndGet();
    };
  }

  @Override
  public ConnectorListener serve(
      InetSocketAddress at, int backlog, Consumer<ConnectorQuestion> questions) {
    refuse(at);
    services.put(at, questions);
    return () -> services.remove(at);
  }

  private void refuse(InetSocketAddress at) {
    if (absent.contains(at.getAddress())) {
      throw new IbNoDeviceException("listen", "the host has not the address", "");
    }
    if (taken.contains(at.getAddress())) {
      throw new IbExistsException("listen", "another program listens there", "another port");
    }
  }

  /** A peer asks for a datagram service, {@code data} in its first byte. */
  void ask(InetSocketAddress at, Gid remote, int data) throws Exception {
    InetAddress from = InetAddress.getByAddress(remote.toBytes());
    byte[] all = new byte[180];
    all[0] = (byte) data;
    services.get(at).accept(new Question(at, new InetSocketAddress(from, 4001), all));
  }

  /** A question that takes any answer. */
  private final class Question implements ConnectorQuestion {
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final byte[] data;

    Question(InetSocketAddress local, InetSocketAddress remote, byte[] data) {
      this.local = local;
      this.remote = remote;
      this.data = data;
    }

    @Override
    public InetSocketAddress local() {
      return local;
    }

    @Override
    public InetSocketAddress remote() {
      return remote;
    }

    @Override
    public byte[] data() {
      return data.clone();
    }

    @Override
    public void accept(int qpn, byte[] answered) {
      commands.add("answer " + qpn + " " + answered.length);
    }

    @Override
    public void reject(byte[] answered) {
      commands.add("refuse " + answered.length);
    }

    @Override
    public void close() {
      commands.add("close");
      closes.incrementAndGet();
    }
  }

  /** A peer asks at a listener. */
  void arrive(InetSocketAddress at, Gid remote) throws Exception {
    InetAddress from = InetAddress.getByAddress(remote.toBytes());
    events =
        listeners
            .get(at)
            .apply(
                new ConnectorArrival(
                    new Link(),
                    at,
                    new InetSocketAddress(from, 4000),
                    AhAttr.ofGid(1, GlobalRoute.to(remote, 0)),
                    Mtu.MTU_1024,
                    PEER,
                    PSNS,
                    6,
                    18,
                    new byte[56]));
  }

  /** A connection that refuses nothing. */
  private final class Link implements ConnectorLink {
    @Override
    public void confirm() {
      commands.add("confirm");
    }

    @Override
    public void accept(ConnectorEndpoint mine, byte[] data) {
      commands.add("accept " + mine.qpn());
    }

    @Override
    public void reject(byte[] data) {
      commands.add("reject " + data.length);
    }

    @Override
    public void dataArrived() {
      commands.add("dataArrived");
    }

    @Override
    public void disconnect() {
      commands.add("disconnect");
    }

    @Override
    public void close() {
      commands.add("close");
      closes.incrementAndGet();
    }
  }
}
