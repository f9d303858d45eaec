package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmaHeader;
import ib.core.verbs.AnyContext;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QpType;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A request to connect: call {@link #accept} or {@link #reject}, in the callback or later. While it
 * is not answered the peer repeats it, and counts in the listener's backlog.
 */
public final class RdmaRequest {

  private final Connections owner;
  final RdmaListener listener;
  final Site site;
  final Applicant applicant;
  private final CmEvent.Requested asked;
  private final CmaHeader header;

  // guarded by this
  private State state = State.WAITING;
  private @Nullable RdmaConnection connection;

  private enum State {
    WAITING,
    ACCEPTED,
    REJECTED,
    GONE
  }

  /** Only {@code ib.cm.rdma} makes requests. */
  RdmaRequest(RdmaListener listener, Site site, Applicant applicant, CmEvent.Requested asked) {
    this.owner = listener.owner.connections;
    this.listener = listener;
    this.site = site;
    this.applicant = applicant;
    this.asked = asked;
    this.header = CmaHeader.read(asked.privateData());
  }

  CmPath path() {
    return asked.path();
  }

  CmEndpoint peer() {
    return asked.peer();
  }

  CmTerms terms() {
    return asked.terms();
  }

  /** {@return the device at which the request has arrived} */
  @AnyContext
  public IbDevice device() {
    return site.device();
  }

  /** {@return the port of the device, from 1} */
  @AnyContext
  public int port() {
    return site.port();
  }

  /** {@return address and port of the peer, as its message says (RD-1)} */
  @AnyContext
  public InetSocketAddress remoteAddress() {
    return new InetSocketAddress(header.source(), header.port());
  }

  /** {@return address and port to which the peer connects} */
  @AnyContext
  public InetSocketAddress localAddress() {
    int port = PortSpace.port(asked.serviceId());
    return new InetSocketAddress(header.destination(), port);
  }

  /** {@return whether the peer asks for a datagram service, in {@link PortSpace#UDP}} */
  @AnyContext
  public boolean isDatagram() {
    return applicant.connection() == null;
  }

  /**
   * {@return the type of the queue pair with which this side accepts: the peer's, so RC or UC;
   * XRC_TGT for the peer's XRC_INI; UD for datagrams}
   */
  @AnyContext
  public QpType type() {
    if (isDatagram()) {
      return QpType.UD;
    }
    QpType theirs = asked.peer().type();
    return theirs == QpType.XRC_INI ? QpType.XRC_TGT : theirs;
  }

  /**
   * {@return private data of the peer, with zeros behind what it wrote (CM-11): 56 bytes, of a
   * question for a datagram service 180}
   */
  @AnyContext
  public byte[] data() {
    return CmaHeader.consumer(asked.privateData());
  }

  /**
   * {@return reads and atomics that this side may have outstanding: what the peer serves; 0 for
   * datagrams}
   */
  @AnyContext
  public int initiatorDepth() {
    return asked.peer().responderResources();
  }

  /** {@return reads and atomics that the peer wants to have outstanding; 0 for datagrams} */
  @AnyContext
  public int responderResources() {
    return asked.peer().initiatorDepth();
  }

  /**
   * Accepts: makes the queue pair, moves it to RTS, and answers the peer. The connection is open
   * when the peer has confirmed the answer. For datagrams it is open at once: its queue pair is the
   * one that this peer sends to, and the peer does not say when it has ended.
   *
   * @param options where the type has them: reads, RNR retries; and private data of at most 196
   *     bytes count, for datagrams 136
   * @param factory makes the queue pair, in this call
   * @param handler hears what happens to the connection
   * @return the connection; the caller closes it
   * @throws IbDisassociatedException when the peer has given up, or the device goes
   * @throws IbInvalidException when the request was answered already
   * @throws IbException when the queue pair cannot be made or moved; the request is rejected then
   */
  @MaySleep
  public RdmaConnection accept(RdmaOptions options, QpFactory factory, RdmaHandler handler) {
    String what = "connection from " + Routes.text(remoteAddress());
    RdmaConnection.Ends ends = new RdmaConnection.Ends(what, localAddress(), remoteAddress());
    RdmaOptions space = isDatagram() ? options.space(PortSpace.UDP) : options;
    RdmaConnection made = new RdmaConnection(owner, ends, space.type(type()), factory, handler);
    synchronized (this) {
      answer(State.ACCEPTED);
      connection = made;
    }
    made.accept(this);
    return made;
  }

  /**
   * Answers a question for a datagram service with a queue pair that the program keeps, since one
   * may serve all peers. There is no connection then.
   *
   * @param qpn number of a queue pair of type UD that receives, at the same port, 24 bits
   * @param qkey its Q_Key, 32 bits
   * @param data private data for the peer, at most 136 bytes
   * @throws IbInvalidException when the request was answered already, its listener is closed, or it
   *     is one for a connection
   */
  @MaySleep
  public void answer(int qpn, int qkey, byte[] data) {
    if (!(applicant instanceof Applicant.ForDatagrams peer)) {
      throw new IbInvalidException(toString(), "it is one for a connection", "accept");
    }
    synchronized (this) {
      answer(State.ACCEPTED);
    }
    peer.accept(qpn, qkey, data);
  }

  private void answer(State how) {
    if (state == State.GONE) {
      throw new IbDisassociatedException(
          toString(), "the peer has given up, or the device goes", "the next one");
    }
    if (state != State.WAITING) {
      throw new IbInvalidException(
          "request of " + Routes.text(remoteAddress()), "it is answered already", "answer it once");
    }
    state = how;
  }

  /**
   * Rejects with reason 28, a question for a datagram service with status 2. Does nothing when the
   * peer has given up. It does not wait for the peer.
   *
   * @param data private data for the peer, at most 148 bytes, for datagrams 136
   * @throws IbInvalidException when the request was answered already, or for more data
   */
  @MaySleep
  public void reject(byte[] data) {
    int most = applicant.maxRejectBytes();
    if (data.length > most) {
      throw new IbInvalidException(
          "private data of a rejection", data.length + " bytes", "at most " + most);
    }
    synchronized (this) {
      if (state == State.GONE) {
        return;
      }
      answer(State.REJECTED);
    }
    try {
      applicant.reject(data);
    } catch (IbInvalidException e) { // the peer has given up at this moment
      LoggerFactory.getLogger(RdmaRequest.class).debug("{} is not rejected", this, e);
    }
  }

  /** {@return whether it waits for an answer: the peer has not given up, the device is there} */
  @AnyContext
  public synchronized boolean isWaiting() {
    return state == State.WAITING;
  }

  /** Rejects unless it was answered. */
  void refuse() {
    synchronized (this) {
      if (state != State.WAITING) {
        return;
      }
      state = State.REJECTED;
    }
    applicant.refuse();
  }

  /** The peer has given up, or the device goes. */
  synchronized void withdrawn() {
    state = state == State.WAITING ? State.GONE : state;
  }

  /** Hears the events of {@code ib.cm} behind the first one. */
  void heard(CmConnection c, CmEvent event) {
    RdmaConnection accepted;
    synchronized (this) {
      accepted = connection;
      if (event instanceof CmEvent.Ended) {
        withdrawn();
      }
    }
    if (accepted != null) {
      accepted.heard(c, event);
    }
  }

  @Override
  public String toString() {
    return "request of " + Routes.text(remoteAddress());
  }
}
