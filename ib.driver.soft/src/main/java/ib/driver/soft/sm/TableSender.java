package ib.driver.soft.sm;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.sa.SaRecord;
import ib.core.wire.RmppHeader;
import ib.core.wire.SaHeader;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends the responses to GetTable by the reliable multi-packet protocol (IBA 13.6.3). As many
 * segments are outstanding as the receiver's window allows; the first window has one segment.
 */
final class TableSender {
  private static final int DATA = 200; // bytes of a segment of subnet administration
  private static final long AGAIN_NS = 500_000_000L;
  private static final int MAX_TIMES = 4;
  private static final int MAX_TRANSFERS = 1024;

  private record Key(int lid, int qpn, long tid) {}

  private static final class Transfer {
    final NodePort at;
    final Datagram asked;
    final byte[] table;
    final int offset;
    int acknowledged;
    int window = 1;
    int times;
    long againNs;

    Transfer(NodePort at, Datagram asked, byte[] table, int offset) {
      this.at = at;
      this.asked = asked;
      this.table = table;
      this.offset = offset;
    }

    int segments() {
      return Math.max(1, (table.length + DATA - 1) / DATA);
    }
  }

  private final Subnet subnet;
  private final Map<Key, Transfer> transfers = new HashMap<>();

  TableSender(Subnet subnet) {
    this.subnet = subnet;
  }

  void send(NodePort at, Datagram asked, List<? extends SaRecord<?, ?>> records) {
    int offset = records.isEmpty() ? 0 : records.getFirst().attributeOffset();
    byte[] table = new byte[records.size() * offset * 8];
    MemorySegment all = MemorySegment.ofArray(table);
    for (int i = 0; i < records.size(); i++) {
      records.get(i).write(all, (long) i * offset * 8);
    }
    if (transfers.size() < MAX_TRANSFERS) {
      Transfer t = new Transfer(at, asked, table, offset);
      transfers.put(key(asked), t);
      advance(t, 1);
    }
  }

  private static Key key(Datagram d) {
    return new Key(d.slid, d.sourceQpn, Mad.of(d.mad).header().transactionId());
  }

  /** Sends from a segment up to the end of the window. */
  private void advance(Transfer t, int from) {
    int last = Math.min(t.segments(), t.window);
    for (int n = from; n <= last; n++) {
      subnet.send(t.at, t.asked.reply(segment(t, n).bytes()));
    }
    t.againNs = System.nanoTime() + AGAIN_NS;
    subnet.fabric().wake();
  }

  private static Mad segment(Transfer t, int n) {
    Mad mad = Mad.of(t.asked.mad).response(0);
    mad.sa().attributeOffset(t.offset);
    RmppHeader h = mad.rmpp();
    boolean last = n == t.segments();
    int from = (n - 1) * DATA;
    int bytes = Math.min(DATA, t.table.length - from);
    h.rmppVersion(RmppHeader.VERSION);
    h.rmppType(RmppHeader.TYPE_DATA);
    h.respTime(RmppHeader.NO_RESPONSE_TIME);
    h.rmppFlags(
        RmppHeader.FLAG_ACTIVE
            | (n == 1 ? RmppHeader.FLAG_FIRST : 0)
            | (last ? RmppHeader.FLAG_LAST : 0));
    h.segmentNumber(n);
    int all = t.table.length + t.segments() * SaHeader.BYTES; // IBA 13.6.2.1: headers count
    h.payloadLength(last ? bytes + SaHeader.BYTES : n == 1 ? all : 0);
    MemorySegment.copy(MemorySegment.ofArray(t.table), from, mad.bytes(), mad.dataOffset(), bytes);
    return mad;
  }

  /** Handles a datagram if it acknowledges a segment. {@return whether it does} */
  boolean take(Datagram d) {
    Mad mad = Mad.of(d.mad);
    RmppHeader h = mad.rmpp();
    boolean active =
        mad.header().mgmtClass() == MgmtClass.SUBN_ADM
            && !mad.header().response() // the answers to a response are turned round (IBA 13.6.2)
            && mad.header().method() == MadMethod.GET_TABLE
            && (h.rmppFlags() & RmppHeader.FLAG_ACTIVE) != 0;
    if (!active || h.rmppType() == RmppHeader.TYPE_DATA) {
      return false;
    }
    Transfer t = transfers.get(key(d));
    if (t == null) {
      return true; // the transfer has ended already
    }
    if (h.rmppType() != RmppHeader.TYPE_ACK || h.segmentNumber() >= t.segments()) {
      transfers.remove(key(d));
    } else if (h.segmentNumber() > t.acknowledged || h.newWindowLast() > t.window) {
      int next = Math.max(h.segmentNumber(), Math.min(t.window, t.segments())) + 1;
      t.acknowledged = Math.max(t.acknowledged, h.segmentNumber());
      t.window = Math.max(t.window, h.newWindowLast());
      t.times = 0;
      advance(t, next);
    }
    return true;
  }

  long dueNs() {
    return transfers.values().stream().mapToLong(t -> t.againNs).min().orElse(Long.MAX_VALUE);
  }

  /** Sends again the segments that were not acknowledged in time. */
  void tick() {
    long now = System.nanoTime();
    transfers.values().removeIf(t -> t.againNs - now <= 0 && ++t.times > MAX_TIMES);
    for (Transfer t : List.copyOf(transfers.values())) {
      if (t.againNs - now <= 0) {
        advance(t, t.acknowledged + 1);
      }
    }
  }
}
