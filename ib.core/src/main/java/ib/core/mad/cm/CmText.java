package ib.core.mad.cm;

import ib.core.mad.Mad;
import ib.core.mad.smp.MadField;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A datagram of the connection manager as one line for a person: the message, each field that says
 * something, reasons and status in words, the private header of RDMA CM, the beginning of the
 * private data. Captures and the shell print it. Any context; any 256 bytes give a line.
 */
public final class CmText {
  private static final int MAX_BYTES = 16; // of private data and of additional information
  private static final double TICK_S = 4.096e-6; // of an exponent for time (IBA 9.7.6.1.3)
  private static final int MIN_MTU = 128; // code 1 is twice as much
  private static final int UNLOADED_PATH = 0;
  private static final int EXTENDED = 3; // transport
  private static final Map<String, String> SPELLING =
      Map.ofEntries(
          Map.entry("alt", "alternate"),
          Map.entry("cm", "CM"),
          Map.entry("eecn", "EECN"),
          Map.entry("ext", "extended"),
          Map.entry("info", "information"),
          Map.entry("len", "length"),
          Map.entry("lid", "LID"),
          Map.entry("pkey", "P_Key"),
          Map.entry("qkey", "Q_Key"),
          Map.entry("rdc", "RDC"),
          Map.entry("rnr", "RNR"),
          Map.entry("sap", "SAP"),
          Map.entry("sl", "SL"),
          Map.entry("srq", "SRQ"),
          Map.entry("tclass", "traffic class"));

  private final CmMessage message;
  private final List<String> words = new ArrayList<>();

  private CmText(CmMessage message) {
    this.message = message;
  }

  /**
   * {@return the line, for example {@code CM REJ of the REQ, id 0x00000000, peer's id 0x00000005,
   * reason 8: nothing listens to the port}}
   *
   * @param mad a datagram of the class
   */
  public static String of(Mad mad) {
    return switch (CmMessage.read(mad)) {
      case CmMessage m -> new CmText(m).line();
      case CmDrop drop ->
          String.format(
              "CM method 0x%02x%s of attribute 0x%04x, no message of a connection: %s",
              mad.header().method(),
              mad.header().response() ? " response" : "",
              mad.header().attributeId(),
              drop.text());
    };
  }

  private String line() {
    boolean alternate = hasAlternatePath();
    for (CmField each : CmField.values()) {
      boolean of = each.kind() == message.kind() && !each.label().endsWith("_low");
      if (of && (alternate || !each.label().startsWith("alt_"))) {
        String text = field(each, message.longValue(each));
        if (!text.isEmpty()) {
          words.add(text);
        }
      }
    }
    int ece = message.mad().header().attributeModifier();
    if (ece != 0) {
      words.add(String.format("ECE options 0x%08x", ece));
    }
    add("information", message.info());
    privateData();
    return "CM " + message.kind() + " " + String.join(", ", words);
  }

  private boolean hasAlternatePath() {
    return switch (message.kind()) {
      case REQ -> message.value(CmField.REQ_ALT_LOCAL_LID) != UNLOADED_PATH;
      default -> true;
    };
  }

  private String field(CmField field, long value) {
    String label = field.label();
    return switch (label) {
      case "local_comm_id" -> String.format("id 0x%08x", value);
      case "remote_comm_id" -> value == 0 ? "" : String.format("peer's id 0x%08x", value);
      case "request_id" -> String.format("request 0x%08x", value);
      case "service_id" -> service(value);
      case "ca_guid" -> String.format("GUID 0x%016x", value);
      case "qpn" -> String.format("QP 0x%06x", value);
      case "remote_qpn" -> String.format("peer's QP 0x%06x", value);
      case "starting_psn" -> String.format("PSN 0x%06x", value);
      case "transport" -> transport((int) value);
      case "ext_transport" -> isExtended() || value == 0 ? "" : plain(field, value);
      case "mtu" -> "MTU " + (MIN_MTU << value);
      case "msg" -> value == 0 ? "of the REQ" : value == 1 ? "of the REP" : "of message " + value;
      case "reason" -> "reason " + value + ": " + CmReason.text((int) value);
      case "status" -> "status " + value + ": " + status((int) value);
      case "failover" -> value == 0 ? "" : value == 1 ? "no failover" : "failover " + value;
      case "remote_cm_timeout" -> "peer answers" + within(value);
      case "local_cm_timeout" -> "answers" + within(value);
      case "service_timeout" -> "answers" + within(value);
      case "ack_timeout" -> "ACK" + within(value);
      case "alt_ack_timeout" -> "alternate ACK" + within(value);
      case "local_gid" -> "from " + message.gid(field);
      case "remote_gid" -> "to " + message.gid(field);
      case "alt_local_gid" -> "alternate from " + message.gid(field);
      case "alt_remote_gid" -> "alternate to " + message.gid(field);
      default -> value == 0 ? "" : plain(field, value);
    };
  }

  /** {@return the label and the number: in hexadecimal when it has 16 bits or more} */
  private static String plain(MadField field, long value) {
    String name =
        Arrays.stream(field.label().split("_"))
            .map(w -> SPELLING.getOrDefault(w, w))
            .collect(Collectors.joining(" "));
    if (field.bits() == 1) {
      return name;
    }
    boolean number = field.bits() < Short.SIZE;
    return name + (number ? " " + value : " 0x" + Long.toHexString(value));
  }

  private static String within(long exponent) {
    double s = TICK_S * Math.pow(2, exponent);
    return exponent == 0
        ? " at once"
        : String.format(Locale.ROOT, " within %.3g s (2^%d)", s, exponent);
  }

  private static String service(long id) {
    String space =
        switch ((int) (id >>> Short.SIZE)) {
          case 0x0106 -> "TCP";
          case 0x0111 -> "UDP";
          case 0x013f -> "IB";
          case 0x0002 -> "IPoIB";
          default -> "";
        };
    boolean port = !space.isEmpty() && id >>> 32 == 0;
    String text = String.format("service 0x%016x", id);
    return port ? text + " (" + space + " port " + (id & 0xffff) + ")" : text;
  }

  /** {@return whether a REQ says its transport in the field of extended transports} */
  private boolean isExtended() {
    return message.value(CmField.REQ_TRANSPORT) == EXTENDED;
  }

  private String transport(int value) {
    return switch (value) {
      case 0 -> "RC";
      case 1 -> "UC";
      case 2 -> "RD";
      default -> {
        int extended = message.value(CmField.REQ_EXT_TRANSPORT);
        yield extended == 1 ? "XRC" : "extended transport " + extended;
      }
    };
  }

  private String status(int value) {
    return message.kind() == CmKind.APR
        ? CmStatus.alternatePath(value)
        : CmStatus.resolution(value);
  }

  private void privateData() {
    byte[] data = message.privateData();
    boolean asks = message.kind() == CmKind.REQ || message.kind() == CmKind.SIDR_REQ;
    if (asks && CmaHeader.begins(data)) {
      CmaHeader h = CmaHeader.read(data);
      words.add(
          String.format(
              "%s port %d connects to %s",
              h.source().getHostAddress(), h.port(), h.destination().getHostAddress()));
      data = CmaHeader.consumer(data);
    }
    add("private data", data);
  }

  /** Adds bytes without the zeros at their end, at most {@link #MAX_BYTES} of them. */
  private void add(String what, byte[] bytes) {
    int length = bytes.length;
    while (length > 0 && bytes[length - 1] == 0) {
      length--;
    }
    if (length > 0) {
      int shown = Math.min(length, MAX_BYTES);
      String hex = HexFormat.of().formatHex(bytes, 0, shown);
      words.add(what + " " + hex + (length > shown ? "... (" + length + " bytes)" : ""));
    }
  }
}
