package ib.engine.capture;

import ib.core.mad.Mad;
import ib.core.mad.MgmtClass;
import ib.core.mad.cm.CmText;
import ib.core.wire.BthOpcode;
import ib.core.wire.MadHeader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes the comment of a packet: whether its ICRC is correct, why it was dropped, how often its PSN
 * was sent before, which fault was injected; and the words of a message of the connection manager.
 * For the writer thread only.
 */
final class Verdict {
  private static final int REMEMBERED = 4096; // PSNs of each sender

  /** How often each of the latest PSNs of a sender was sent. */
  private static final class Sent extends LinkedHashMap<Integer, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
      return size() > REMEMBERED;
    }
  }

  private final Map<Long, Sent> senders = new HashMap<>();

  String of(CapturedPacket s) {
    StringBuilder text = new StringBuilder(s.badIcrc ? "ICRC bad" : "ICRC ok");
    String reason = s.dropped;
    if (reason != null) {
      text.append("; dropped: ").append(reason);
    }
    int again = s.incoming ? 0 : sentBefore(s);
    if (again > 0) {
      text.append("; retransmission ").append(again);
      text.append(String.format(" of PSN 0x%06x", s.psn));
    }
    String fault = s.fault;
    if (fault != null) {
      text.append("; injected fault: ").append(fault);
    }
    String message = connectionManager(s);
    if (!message.isEmpty()) {
      text.append("; ").append(message);
    }
    return text.toString();
  }

  private static String connectionManager(CapturedPacket s) {
    if (s.madAt == 0) {
      return "";
    }
    Mad mad = Mad.of(s.bytes.asSlice(s.madAt, MadHeader.MAD_BYTES));
    return mad.header().mgmtClass() == MgmtClass.CM ? CmText.of(mad) : "";
  }

  /** {@return how often the packet was sent before} Only reliable connections retransmit. */
  private int sentBefore(CapturedPacket s) {
    BthOpcode opcode = BthOpcode.of(s.opcode);
    if (opcode == null || (s.opcode & 0xe0) != 0 || opcode == BthOpcode.RC_ACKNOWLEDGE) {
      return 0;
    }
    boolean response = s.opcode >= 0x0D && s.opcode <= 0x12;
    long sender = (long) s.port << 32 | (long) s.sourceQpn << 1 | (response ? 1 : 0);
    Sent sent = senders.computeIfAbsent(sender, k -> new Sent());
    return sent.merge(s.psn, 1, Integer::sum) - 1;
  }
}
