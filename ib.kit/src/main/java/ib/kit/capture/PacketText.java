package ib.kit.capture;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmText;
import ib.core.mad.smp.SmpAttribute;
import ib.core.sa.InformInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.PathRecord;
import ib.core.sa.ServiceRecord;
import ib.core.wire.Aeth;
import ib.core.wire.AtomicAckEth;
import ib.core.wire.AtomicEth;
import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Deth;
import ib.core.wire.ExtendedHeader;
import ib.core.wire.Header;
import ib.core.wire.Ieth;
import ib.core.wire.ImmDt;
import ib.core.wire.MadHeader;
import ib.core.wire.Reth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a captured packet as one line: opcode, queue pair, PSN, and the fields of the headers that
 * the opcode has. A packet that is cut off is written as far as it goes.
 */
public final class PacketText {
  private static final int DEFAULT_PKEY = 0xffff; // full member of the default partition

  private final CapturedPacket packet;
  private final Bth bth;
  private final List<String> words = new ArrayList<>();
  private long at;

  private PacketText(CapturedPacket packet, Bth bth) {
    this.packet = packet;
    this.bth = bth;
    this.at = packet.transportOffset() + Bth.BYTES;
  }

  /**
   * {@return the packet as one line, without its comment}
   *
   * @param packet of a capture
   */
  public static String of(CapturedPacket packet) {
    return packet
        .bth()
        .map(bth -> new PacketText(packet, bth).text())
        .orElse(packet.bytes().byteSize() + " bytes");
  }

  private String text() {
    BthOpcode opcode = BthOpcode.of(bth.opcode());
    words.add(
        String.format(
            "%s to QP 0x%06x, PSN 0x%06x",
            opcode == null ? String.format("opcode 0x%02x", bth.opcode()) : opcode,
            bth.destQp(),
            bth.psn()));
    if (bth.pkey() != DEFAULT_PKEY) {
      words.add(String.format("P_Key 0x%04x", bth.pkey()));
    }
    if (bth.ackReq()) {
      words.add("AckReq");
    }
    if (opcode == null) {
      words.add(packet.bytes().byteSize() + " bytes");
      return String.join(", ", words);
    }
    boolean whole = true;
    for (ExtendedHeader header : opcode.headers()) {
      whole = whole && at + header.bytes() <= packet.icrcOffset();
      if (whole) {
        add(header);
        at += header.bytes();
      }
    }
    long payload = packet.icrcOffset() - at - bth.padCnt();
    if (isManagement(opcode) && payload >= MadHeader.BYTES) {
      words.add(mad(payload));
    } else if (payload > 0) {
      words.add(payload + " bytes");
    }
    return String.join(", ", words);
  }

  private boolean isManagement(BthOpcode opcode) {
    return opcode == BthOpcode.UD_SEND_ONLY && bth.destQp() <= 1;
  }

  private <H extends Header> H wrapped(H header) {
    header.wrap(packet.bytes(), at);
    return header;
  }

  private void add(ExtendedHeader header) {
    switch (header) {
      case DETH -> {
        Deth deth = wrapped(new Deth());
        words.add(String.format("from QP 0x%06x, Q_Key 0x%08x", deth.srcQp(), deth.qkey()));
        packet.lrh().ifPresent(l -> words.add("LID " + l.slid() + " to " + l.dlid()));
      }
      case RETH -> {
        Reth reth = wrapped(new Reth());
        words.add(
            String.format(
                "%d bytes at 0x%x, R_Key 0x%08x",
                Integer.toUnsignedLong(reth.dmaLen()), reth.va(), reth.rkey()));
      }
      case ATOMIC_ETH -> {
        AtomicEth atomic = wrapped(new AtomicEth());
        words.add(String.format("at 0x%x, R_Key 0x%08x", atomic.va(), atomic.rkey()));
        words.add(
            bth.opcode() == BthOpcode.RC_COMPARE_SWAP.value()
                ? "if " + atomic.compare() + " then " + atomic.swapAdd()
                : "add " + atomic.swapAdd());
      }
      case AETH -> {
        Aeth aeth = wrapped(new Aeth());
        words.add(aeth.text() + ", MSN " + aeth.msn());
      }
      case ATOMIC_ACK_ETH -> words.add("was " + wrapped(new AtomicAckEth()).origRemData());
      case IMM_DT -> words.add(String.format("immediate 0x%08x", wrapped(new ImmDt()).immediate()));
      case IETH -> words.add(String.format("invalidates R_Key 0x%08x", wrapped(new Ieth()).rkey()));
      case FETH -> words.add("flush");
    }
  }

  private String mad(long payload) {
    MadHeader header = wrapped(new MadHeader());
    if (header.mgmtClass() != MgmtClass.CM || payload < MadHeader.MAD_BYTES) {
      return mad(header);
    }
    String message = CmText.of(Mad.of(packet.bytes().asSlice(at, MadHeader.MAD_BYTES)));
    // what the comment says already is not said twice where both stand in one line
    return packet.comment().contains(message) ? mad(header) : message;
  }

  private static String mad(MadHeader mad) {
    return String.format(
        "%s %s%s of %s",
        mgmtClass(mad.mgmtClass()),
        method(mad.method()),
        mad.response() ? "Resp" : "",
        attribute(mad));
  }

  private static String attribute(MadHeader mad) {
    int id = mad.attributeId();
    SmpAttribute smp = MgmtClass.smi(mad.mgmtClass()) ? SmpAttribute.of(id) : null;
    String name =
        switch (mad.mgmtClass()) {
          case MgmtClass.CM -> cmMessage(CmKind.of(id));
          case MgmtClass.SUBN_ADM -> record(id);
          default -> smp == null ? "" : smp.name();
        };
    return name.isEmpty() ? String.format("attribute 0x%04x", id) : name;
  }

  private static String cmMessage(@Nullable CmKind kind) {
    return kind == null ? "" : kind.name();
  }

  private static String record(int id) {
    return switch (id) {
      case McMemberRecord.ATTRIBUTE_ID -> "McMemberRecord";
      case PathRecord.ATTRIBUTE_ID -> "PathRecord";
      case InformInfo.ATTRIBUTE_ID -> "InformInfo";
      case ServiceRecord.ATTRIBUTE_ID -> "ServiceRecord";
      default -> "";
    };
  }

  private static String mgmtClass(int value) {
    return switch (value) {
      case MgmtClass.SUBN_LID_ROUTED -> "Subn (by LID)";
      case MgmtClass.SUBN_DIRECTED_ROUTE -> "Subn (directed)";
      case MgmtClass.SUBN_ADM -> "SubnAdm";
      case MgmtClass.PERF_MGMT -> "Perf";
      case MgmtClass.CM -> "CM";
      default -> String.format("class 0x%02x", value);
    };
  }

  private static String method(int value) {
    return switch (value) {
      case MadMethod.GET -> "Get";
      case MadMethod.SET -> "Set";
      case MadMethod.SEND -> "Send";
      case MadMethod.TRAP -> "Trap";
      case MadMethod.REPORT -> "Report";
      case MadMethod.TRAP_REPRESS -> "TrapRepress";
      case MadMethod.GET_TABLE -> "GetTable";
      case MadMethod.DELETE -> "Delete";
      default -> String.format("method 0x%02x", value);
    };
  }
}
