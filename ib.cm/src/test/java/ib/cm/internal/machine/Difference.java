package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where Linux and the station answer in different ways.
 *
 * @param heard the frame that both have heard
 * @param linux what Linux says, in short
 * @param ours what the station says, in short
 * @param why the reason
 */
record Difference(int heard, String linux, String ours, String why) {
  /** {@return a message in short: kind, reason of a rejection, status} */
  static String brief(CmMessage m) {
    return switch (m.kind()) {
      case REJ -> "REJ " + m.value(REJ_REASON);
      case APR -> "APR " + m.value(APR_STATUS);
      case SIDR_REP -> "SIDR_REP " + m.value(SIDR_REP_STATUS);
      default -> m.kind().name();
    };
  }

  static String brief(List<CmMessage> messages) {
    return messages.stream().map(Difference::brief).sorted().collect(Collectors.joining(", "));
  }

  /**
   * {@return all bytes that count, in hexadecimal. Two things do not: of a REP that failover is
   * refused, since Linux says that it supports it and never does it; and of the REJ of a REQ its
   * sender's name, by which the receiver cannot know the connection (CM-8): Linux writes 0 where
   * its program was not asked}
   */
  static String bytes(CmMessage m) {
    CmMessage copy = (CmMessage) CmMessage.read(m.mad().copy());
    if (m.kind() == CmKind.REP) {
      copy.set(REP_FAILOVER, 0);
    } else if (m.kind() == CmKind.REJ && m.value(REJ_MSG) == 0) {
      copy.set(REJ_LOCAL_COMM_ID, 0);
    }
    return HexFormat.of().formatHex(copy.mad().bytes().toArray(ValueLayout.JAVA_BYTE));
  }

  static List<String> bytes(List<CmMessage> messages) {
    return messages.stream().map(Difference::bytes).sorted().toList();
  }

  @Override
  public String toString() {
    return "frame " + heard + ": Linux [" + linux + "], ours [" + ours + "]";
  }
}
