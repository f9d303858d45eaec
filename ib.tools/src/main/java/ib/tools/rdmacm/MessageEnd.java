package ib.tools.rdmacm;

import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaDestination;
import ib.cm.rdma.RdmaEnd;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * One end of a run of messages: as many go each way. All receives are posted before the connection
 * is made. The memory holds the message to send, then the messages received, each over the last.
 */
final class MessageEnd extends End {
  private static final int GRH = 40;
  private static final int SEND_ID = 1;
  private static final int RECEIVE_ID = 2;

  private final Program program;
  private final MessageOptions options;
  private int port;
  private @Nullable Peer peer;
  private int sent;
  private int received;

  /** Where the datagrams of this end go. */
  private record Peer(AddressHandle way, int qpn, int qkey) {}

  MessageEnd(Program program, MessageOptions options) {
    super(program);
    this.program = program;
    this.options = options;
  }

  @Override
  protected QpType type() {
    return options.datagrams() ? QpType.UD : QpType.RC;
  }

  @Override
  protected Size size(IbDevice device, int at) {
    port = at;
    int mtu = device.port(at).activeMtu().bytes();
    if (options.datagrams() && options.size() > mtu) {
      String why = "message_size " + options.size() + " is larger than active mtu " + mtu;
      throw new IbInvalidException(program.name(), why, "a smaller -S");
    }
    int most = Math.max(options.count(), 1);
    long bytes = 2L * options.size() + GRH;
    return new Size(new QpCap(most, most, 1, 1, 0), bytes, Access.LOCAL_WRITE);
  }

  private int headerBytes() {
    return options.datagrams() ? GRH : 0;
  }

  @Override
  public void initialized(QueuePair at) {
    MemoryRegion m = memory();
    long address = m.iova() + options.size();
    int length = options.size() + headerBytes();
    for (int i = 0; i < options.count(); i++) {
      check("ibv_post_recv", at, at.postReceive(RECEIVE_ID, m.lkey(), address, length));
    }
  }

  @Override
  public void destroyed(QueuePair destroyed) {
    if (peer != null) {
      peer.way.close();
    }
    super.destroyed(destroyed);
  }

  /** Sends datagrams to the service that has answered. */
  void to(RdmaDestination service) {
    peer = new Peer(domain().createAh(service.way()), service.qpn(), service.qkey());
  }

  @Override
  protected void completed(WorkCompletion wc) {
    if (wc.wrId() == SEND_ID) {
      sent++;
      return;
    }
    if (options.datagrams() && peer == null) { // the answers go to where the first came from
      MemoryRegion m = memory();
      AddressHandle back =
          domain().createAhFromCompletion(wc, m.segment().asSlice(options.size(), GRH), port);
      peer = new Peer(back, wc.immData(), PortSpace.DATAGRAM_QKEY);
    }
    received++;
  }

  /** Sends all messages; does not wait. */
  void send() {
    MemoryRegion m = memory();
    QueuePair qp = qp();
    for (int i = 0; i < options.count(); i++) {
      qp.wrStart();
      qp.wrId(SEND_ID).wrFlags(SendFlags.SIGNALED);
      if (peer == null) {
        qp.wrSend();
      } else {
        qp.wrSendImm(qp.qpn()); // the peer knows no other name of this queue pair (RD-11)
        qp.wrSetUdAddress(peer.way, peer.qpn, peer.qkey);
      }
      qp.wrSetSge(m.lkey(), m.iova(), options.size());
      check("ibv_post_send", qp, qp.wrComplete());
    }
  }

  /** Waits for the completions of all sends; {@return whether they came before the end} */
  boolean awaitSent() {
    while (sent < options.count()) {
      if (!progress()) {
        return false;
      }
    }
    return true;
  }

  /** {@return whether the peer has disconnected, and this side has not lost it otherwise} */
  boolean hasPeerDisconnected() {
    RdmaEnd how = end();
    return how != null && how.kind() == RdmaEnd.Kind.DISCONNECTED && how.status() == 0;
  }

  /** Waits for all messages of the peer; {@return whether they came before the end} */
  boolean awaitReceived() {
    while (received < options.count()) {
      if (!progress()) {
        return false;
      }
    }
    return true;
  }
}
