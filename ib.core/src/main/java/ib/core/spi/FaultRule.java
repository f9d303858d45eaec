package ib.core.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fault and the packets that it hits. Immutable. {@link #of} makes a rule that fits every packet,
 * the {@code with} methods narrow it, {@link #parse} reads the text form that {@link #toString}
 * writes:
 *
 * <pre>
 * loss rate=0.05
 * corrupt rate=0.01 dir=in
 * reorder rate=0.1 packets=8 delay=1ms
 * delay delay=20us jitter=80us peer=3
 * loss opcode=0x11 qp=0x12ab34 skip=2 count=1
 * partition peer=3 dir=out
 * </pre>
 *
 * @param kind what is done
 * @param rate probability for a packet that fits, 0 to 1; as text also 0% to 100%
 * @param direction packets that the port sends, receives, or both
 * @param port port number, 0 for all
 * @param opcode BTH opcode, 0 to 255, or -1 for all
 * @param qpn source or destination queue pair, or -1 for all
 * @param psnFirst first sequence number, or -1 for all
 * @param psnLast last sequence number; before the first, the range goes through the wrap
 * @param peer LID at the other end, or -1 for all
 * @param skip so many packets that fit are spared first
 * @param count so many packets are hit at most, 0 for no limit
 * @param delayNs how long a packet is held, at most for {@link Kind#REORDER}; nanoseconds
 * @param jitterNs a random time up to this is added; nanoseconds
 * @param packets {@link Kind#REORDER}: at most so many others overtake it, 1 to 256
 */
public record FaultRule(
    Kind kind,
    double rate,
    Direction direction,
    int port,
    int opcode,
    int qpn,
    int psnFirst,
    int psnLast,
    int peer,
    long skip,
    long count,
    long delayNs,
    long jitterNs,
    int packets) {

  /** The fault that a packet suffers. */
  public enum Kind {
    /** The packet is lost. */
    LOSS,
    /** A copy of the packet follows, after the delay if the rule has one. */
    DUPLICATE,
    /** Other packets overtake the packet. */
    REORDER,
    /** The packet arrives later; it does not delay other packets. */
    DELAY,
    /** A bit is flipped: the receiver's ICRC check drops it and counts {@code drop_icrc}. */
    CORRUPT,
    /** A bit of the payload is flipped that no check finds; only to prove that a checker does. */
    SILENT,
    /** The packet is lost, as with LOSS; for rules that cut a peer off. */
    PARTITION;

    private final String label = name().toLowerCase(Locale.ROOT); // each disturbed packet has it

    /** {@return the word in the text form} */
    public String label() {
      return label;
    }
  }

  /** The direction of a packet, seen from the port. */
  public enum Direction {
    /** Sent by the port. */
    OUT,
    /** Received by the port. */
    IN,
    /** Either. */
    BOTH;

    /** {@return the word in the text form} */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final double PERCENT = 100;
  private static final long MAX_DELAY_NS = 3_600_000_000_000L;
  private static final Pattern TIME = Pattern.compile("([0-9]{1,12})(ns|us|ms|s)?");
  private static final Pattern RANGE =
      Pattern.compile("(0[xX][0-9a-fA-F]{1,6}|[0-9]{1,8})(?:-(0[xX][0-9a-fA-F]{1,6}|[0-9]{1,8}))?");
  private static final Pattern NUMBER = Pattern.compile("0[xX][0-9a-fA-F]{1,8}|[0-9]{1,18}");

  /**
   * Checks.
   *
   * @throws IllegalArgumentException that names what is out of range and what is allowed
   */
  public FaultRule {
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("rate is " + rate + ", it must be 0 to 1");
    }
    range("port", port, 0, 255);
    range("opcode", opcode, -1, 255);
    range("qp", qpn, -1, 0xFFFFFF);
    range("psn", psnFirst, -1, 0xFFFFFF);
    range("psn", psnLast, psnFirst < 0 ? -1 : 0, psnFirst < 0 ? -1 : 0xFFFFFF);
    range("peer", peer, -1, 0xFFFF);
    range("skip", skip, 0, Long.MAX_VALUE);
    range("count", count, 0, Long.MAX_VALUE);
    range("delay", delayNs, 0, MAX_DELAY_NS);
    range("jitter", jitterNs, 0, MAX_DELAY_NS);
    range("packets", packets, 1, 256);
  }

  private static void range(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          what + " is " + value + ", it must be " + least + " to " + most);
    }
  }

  /**
   * A rule for every packet that a port sends.
   *
   * @param kind what is done
   * @return the rule; a reordered packet is overtaken by at most 8 others and held at most 1 ms, a
   *     delayed one is held for 100 us
   */
  public static FaultRule of(Kind kind) {
    long delay =
        switch (kind) {
          case REORDER -> 1_000_000;
          case DELAY -> 100_000;
          case LOSS, DUPLICATE, CORRUPT, SILENT, PARTITION -> 0;
        };
    return new FaultRule(kind, 1, Direction.OUT, 0, -1, -1, -1, -1, -1, 0, 0, delay, 0, 8);
  }

  /**
   * With another rate.
   *
   * @param value 0 to 1
   * @return the rule
   */
  public FaultRule withRate(double value) {
    return new FaultRule(
        kind, value, direction, port, opcode, qpn, psnFirst, psnLast, peer, skip, count, delayNs,
        jitterNs, packets);
  }

  /**
   * With another direction.
   *
   * @param value the direction
   * @return the rule
   */
  public FaultRule withDirection(Direction value) {
    return new FaultRule(
        kind, rate, value, port, opcode, qpn, psnFirst, psnLast, peer, skip, count, delayNs,
        jitterNs, packets);
  }

  /**
   * With another time.
   *
   * @param delay nanoseconds
   * @param jitter nanoseconds, random on top
   * @return the rule
   */
  public FaultRule withDelay(long delay, long jitter) {
    return new FaultRule(
        kind, rate, direction, port, opcode, qpn, psnFirst, psnLast, peer, skip, count, delay,
        jitter, packets);
  }

  /**
   * With another bound of how many packets overtake.
   *
   * @param value 1 to 256
   * @return the rule
   */
  public FaultRule withPackets(int value) {
    return new FaultRule(
        kind, rate, direction, port, opcode, qpn, psnFirst, psnLast, peer, skip, count, delayNs,
        jitterNs, value);
  }

  /**
   * Whether a sequence number is meant.
   *
   * @param psn 24 bits
   * @return whether the rule has no range or it is in it
   */
  public boolean hasPsn(int psn) {
    return psnFirst < 0 || ((psn - psnFirst) & 0xFFFFFF) <= ((psnLast - psnFirst) & 0xFFFFFF);
  }

  /**
   * Reads the text form: a kind, then {@code key=value} words in any order. Keys: rate, dir, port,
   * opcode, qp, psn (one or {@code first-last}), peer, skip, count, delay and jitter (with unit ns,
   * us, ms or s), packets.
   *
   * @param text the text
   * @return the rule
   * @throws IllegalArgumentException that names the word which is wrong and what is allowed
   */
  public static FaultRule parse(String text) {
    String[] words = text.strip().split("\\s+");
    FaultRule rule = of(kind(words[0]));
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("'" + words[i] + "' is not key=value");
      }
      rule = rule.with(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return rule;
  }

  private static Kind kind(String word) {
    for (Kind k : Kind.values()) {
      if (k.label().equals(word)) {
        return k;
      }
    }
    throw new IllegalArgumentException(
        "'" + word + "' is not loss, duplicate, reorder, delay, corrupt, silent or partition");
  }

  private FaultRule with(String key, String value) {
    return switch (key) {
      case "rate" -> withRate(rate(value));
      case "dir" -> withDirection(direction(value));
      case "delay" -> withDelay(time(key, value), jitterNs);
      case "jitter" -> withDelay(delayNs, time(key, value));
      case "packets" -> withPackets((int) number(key, value, 256));
      case "psn" -> withPsn(value);
      case "port", "opcode", "qp", "peer", "skip", "count" -> withNumber(key, value);
      default ->
          throw new IllegalArgumentException(
              "'"
                  + key
                  + "' is not rate, dir, port, opcode, qp, psn, peer, skip, count, delay,"
                  + " jitter or packets");
    };
  }

  private FaultRule withNumber(String key, String value) {
    long n = number(key, value, Long.MAX_VALUE);
    int i = (int) Math.min(n, Integer.MAX_VALUE); // too large for any of them, and refused as such
    return new FaultRule(
        kind,
        rate,
        direction,
        key.equals("port") ? i : port,
        key.equals("opcode") ? i : opcode,
        key.equals("qp") ? i : qpn,
        psnFirst,
        psnLast,
        key.equals("peer") ? i : peer,
        key.equals("skip") ? n : skip,
        key.equals("count") ? n : count,
        delayNs,
        jitterNs,
        packets);
  }

  private FaultRule withPsn(String value) {
    Matcher m = RANGE.matcher(value);
    if (!m.matches()) {
      throw new IllegalArgumentException("psn is '" + value + "', it must be first or first-last");
    }
    int first = Integer.decode(decimal(m.group(1)));
    int last = m.group(2) == null ? first : Integer.decode(decimal(m.group(2)));
    return new FaultRule(
        kind, rate, direction, port, opcode, qpn, first, last, peer, skip, count, delayNs, jitterNs,
        packets);
  }

  private static double rate(String value) {
    try {
      return value.endsWith("%")
          ? Double.parseDouble(value.substring(0, value.length() - 1)) / PERCENT
          : Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "rate is '" + value + "', it must be 0 to 1, or 0% to 100%", e);
    }
  }

  private static Direction direction(String value) {
    for (Direction d : Direction.values()) {
      if (d.label().equals(value)) {
        return d;
      }
    }
    throw new IllegalArgumentException("dir is '" + value + "', it must be out, in or both");
  }

  private static long number(String key, String value, long most) {
    if (!NUMBER.matcher(value).matches()) {
      throw new IllegalArgumentException(key + " is '" + value + "', it must be a number");
    }
    long n = Long.decode(decimal(value));
    range(key, n, 0, most);
    return n;
  }

  /** Leading zeros do not make a number octal. */
  private static String decimal(String digits) {
    return digits.startsWith("0x") || digits.startsWith("0X")
        ? digits
        : digits.replaceFirst("^0+(?=.)", "");
  }

  private static long time(String key, String value) {
    Matcher m = TIME.matcher(value);
    if (!m.matches()) {
      throw new IllegalArgumentException(
          key + " is '" + value + "', it must be a number with ns, us, ms or s");
    }
    long unit =
        switch (m.group(2) == null ? "ns" : m.group(2)) {
          case "us" -> 1_000;
          case "ms" -> 1_000_000;
          case "s" -> 1_000_000_000;
          default -> 1;
        };
    long n = Long.parseLong(m.group(1));
    range(key, n, 0, MAX_DELAY_NS / unit);
    return n * unit;
  }

  private static String time(long ns) {
    if (ns % 1_000_000_000 == 0) {
      return ns / 1_000_000_000 + "s";
    }
    if (ns % 1_000_000 == 0) {
      return ns / 1_000_000 + "ms";
    }
    return ns % 1_000 == 0 ? ns / 1_000 + "us" : ns + "ns";
  }

  /** {@return the text form; what is as in {@link #of} is left out} */
  @Override
  public String toString() {
    FaultRule plain = of(kind);
    List<String> words = new ArrayList<>();
    words.add(kind.label());
    add(words, rate != plain.rate, "rate", rate);
    add(words, direction != plain.direction, "dir", direction.label());
    add(words, port != plain.port, "port", port);
    add(words, opcode >= 0, "opcode", String.format("0x%02x", opcode));
    add(words, qpn >= 0, "qp", String.format("0x%06x", qpn));
    add(words, psnFirst >= 0, "psn", String.format("0x%06x-0x%06x", psnFirst, psnLast));
    add(words, peer >= 0, "peer", peer);
    add(words, skip > 0, "skip", skip);
    add(words, count > 0, "count", count);
    add(words, delayNs != plain.delayNs, "delay", time(delayNs));
    add(words, jitterNs > 0, "jitter", time(jitterNs));
    add(words, packets != plain.packets, "packets", packets);
    return String.join(" ", words);
  }

  private static void add(List<String> words, boolean wanted, String key, Object value) {
    if (wanted) {
      words.add(key + "=" + value);
    }
  }
}
