package ib.ulp.ipoib.cm;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.PortCapability;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.PortModify;
import ib.core.verbs.WellKnown;
import ib.ulp.ipoib.wire.Connected;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection manager's agent on QP1 of one port, for all interfaces of that port. Any thread
 * may call in.
 */
public final class CmPort implements CmService {
  private static final int CLASS_VERSION = 2;

  /**
   * Stands for an interface that is still creating its queue pairs: drops requests, which the peer
   * repeats (B11).
   */
  private static final CmParty SETTING_UP = (tid, message, answer) -> {};

  private final Logger log = LoggerFactory.getLogger(CmPort.class);
  private final SecureRandom random = new SecureRandom();
  private final Map<Integer, CmParty> names = new ConcurrentHashMap<>();
  private final Map<Integer, CmParty> listeners = new ConcurrentHashMap<>();
  private final List<Refusals> counts =
      new CopyOnWriteArrayList<>(); // of all interfaces of the port
  private final IbDevice device;
  private final int port;
  private final MadAgent agent;

  /**
   * Registers the agent and sets IsCommunicationManagementSupported in the port's CapabilityMask
   * (IBA 14.2.5.6).
   *
   * @param device the client's handle
   * @param port from 1
   * @param expected datagram queue pair numbers of interfaces that will listen; they are entered
   *     before a request can arrive
   * @throws ib.core.verbs.IbExistsException when another agent has registered the class
   */
  public CmPort(IbDevice device, int port, int... expected) {
    this.device = device;
    this.port = port;
    for (int udQpn : expected) {
      expect(udQpn);
    }
    agent =
        MadAgent.register(
            device,
            port,
            MadRegistration.gsi(MgmtClass.CM, CLASS_VERSION, MadMethod.SEND),
            this::received);
    supported(true);
  }

  private void supported(boolean is) {
    int bit = PortCapability.IS_CM_SUPPORTED.mask();
    try {
      device.modifyPort(port, new PortModify(is ? bit : 0, is ? 0 : bit, false, false));
    } catch (IbException e) { // the bit only informs peers: connections work without it
      log.debug(
          "port {} of {}: the bit IsCommunicationManagementSupported could not be changed",
          port,
          device,
          e);
    }
  }

  @Override
  public int name(CmParty party) {
    int id = random.nextInt(); // D9
    while (id == 0 || names.putIfAbsent(id, party) != null) {
      id = random.nextInt();
    }
    return id;
  }

  @Override
  public void release(int id) {
    names.remove(id);
  }

  /**
   * Announces that an interface will listen. Until {@link #listen} or {@link #forget}, its requests
   * are dropped, and the peer repeats them.
   */
  void expect(int udQpn) {
    listeners.putIfAbsent(udQpn, SETTING_UP);
  }

  /** Forgets an interface: from now on its requests are rejected. */
  void forget(int udQpn) {
    listeners.remove(udQpn);
  }

  @Override
  public void listen(int udQpn, CmParty party) {
    listeners.put(udQpn, party);
  }

  @Override
  public void unlisten(int udQpn) {
    listeners.replace(udQpn, SETTING_UP);
  }

  @Override
  public long transaction(int id) {
    return (long) agent.hiTid() << 32 | id & 0xffff_ffffL;
  }

  @Override
  public void send(long tid, CmMessage message, AhAttr to, int pkeyIndex) {
    send(agent, tid, message, to, pkeyIndex);
  }

  private void send(MadAgent by, long tid, CmMessage message, AhAttr to, int pkeyIndex) {
    Mad mad = Mad.request(MgmtClass.CM, CLASS_VERSION, MadMethod.SEND, message.attribute(), 0);
    mad.header().transactionId(tid);
    message.write(mad.data());
    MadAddress qp1 = new MadAddress(to, WellKnown.QPN_GSI, WellKnown.QP1_QKEY, pkeyIndex);
    by.send(mad, qp1)
        .whenComplete(
            (done, why) -> {
              if (why != null) {
                log.debug("message 0x{} is lost", Integer.toHexString(message.attribute()), why);
              }
            });
  }

  private void received(MadAgent who, MadReceived datagram) {
    Mad mad = datagram.mad();
    AhAttr answer = datagram.source().answer();
    CmMessage message = CmMessage.read(mad.header().attributeId(), mad.data());
    if (datagram.source().srcQp() != WellKnown.QPN_GSI) {
      refuse(Refusal.SOURCE_QP, datagram);
      return;
    }
    if (message == null || answer == null) {
      refuse(message == null ? Refusal.MALFORMED : Refusal.UNANSWERABLE, datagram);
      return;
    }
    long tid = mad.header().transactionId();
    CmParty party =
        message instanceof CmRequest req
            ? listener(req.serviceId())
            : names.get(message.remoteId());
    if (party != null) {
      party.received(tid, message, answer);
      return;
    }
    boolean asks = message instanceof CmRequest;
    refuse(asks ? Refusal.NO_LISTENER : Refusal.UNKNOWN_CONNECTION, datagram);
    CmMessage reply = refusal(message);
    if (reply != null) {
      send(who, tid, reply, answer, datagram.source().pkeyIndex());
    }
  }

  /**
   * Counts a refused message with every interface of the port, because it belongs to none of them.
   */
  private void refuse(Refusal why, MadReceived datagram) {
    counts.forEach(each -> each.count(why, datagram.source()));
  }

  void addCounts(Refusals more) {
    counts.add(more);
  }

  void removeCounts(Refusals gone) {
    counts.remove(gone);
  }

  /** W14: {@return the interface for a service ID in either form, Linux's or RFC 4755's} */
  private @Nullable CmParty listener(long serviceId) {
    int qpn = (int) serviceId & 0xffffff;
    return Connected.isFor(serviceId, qpn) ? listeners.get(qpn) : null;
  }

  /**
   * {@return the answer to a message that belongs to no connection or listener; null for no answer}
   * So a peer whose connection no longer exists here need not wait for its retries (IBA
   * 12.9.8.3.1).
   */
  public static @Nullable CmMessage refusal(CmMessage message) {
    Connected none = new Connected(0, 0);
    return switch (message) {
      case CmRequest req ->
          new CmReject(0, req.localId(), CmReject.OF_REQ, CmReject.INVALID_SERVICE, none);
      case CmReply rep ->
          new CmReject(rep.remoteId(), rep.localId(), CmReject.OF_REP, CmReject.INVALID_ID, none);
      case CmMessage.DisconnectRequest d ->
          new CmMessage.DisconnectReply(d.remoteId(), d.localId());
      default -> null;
    };
  }

  /**
   * Closes the agent; afterwards no party receives a message. Waits for a callback that is running.
   */
  @Override
  public void close() {
    supported(false);
    agent.close();
  }
}
