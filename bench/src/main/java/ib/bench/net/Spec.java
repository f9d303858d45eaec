package ib.bench.net;

/**
 * An exchange, as the parent describes it to its children.
 *
 * @param system who does it
 * @param pattern what is done
 * @param bytes of a message
 * @param packet bytes of payload in a packet, which is also the IB MTU
 * @param server address of the server
 * @param client address of the client
 */
record Spec(String system, Pattern pattern, int bytes, int packet, String server, String client) {
  /** What is done. */
  enum Pattern {
    /** One message there and one back, both ends spinning. */
    RTT,
    /** The same, both ends asleep while they wait. */
    SLEEP,
    /** Messages one way, as many as get through. */
    STREAM
  }

  /** BTH and ICRC, so that a packet of one is as long as of the other. */
  static final int HEADERS = 16;

  static Spec parse(String[] words, int at) {
    return new Spec(
        words[at],
        Pattern.valueOf(words[at + 1]),
        Integer.parseInt(words[at + 2]),
        Integer.parseInt(words[at + 3]),
        words[at + 4],
        words[at + 5]);
  }

  String text() {
    return String.join(" ", system, pattern.name(), "" + bytes, "" + packet, server, client);
  }

  /** A port that only this exchange uses. */
  int port() {
    return 20_000 + Math.floorMod(text().hashCode(), 20_000);
  }

  /** Who receives for a RoCE device: {@code poll} or {@code thread}; empty for other systems. */
  String progress() {
    boolean thread = pattern == Pattern.SLEEP && !system.equals("rxe-defaults");
    return system.startsWith("rxe") ? thread ? "thread" : "poll" : "";
  }

  /** The half of one end. */
  Half open(boolean serves) throws Exception {
    return switch (system) {
      case "raw", "raw-gso", "raw-icrc", "raw-mmsg", "raw-one" -> new RawHalf(this, serves, true);
      case "raw-unconnected" -> new RawHalf(this, serves, false);
      case "nio" -> new NioHalf(this, serves);
      case "tcp" -> new TcpHalf(this, serves);
      case "aeron" -> new AeronHalf(this, serves);
      default ->
          RxeManyHalf.Shape.of(system) == null
              ? new RxeHalf(this, serves)
              : new RxeManyHalf(this, serves);
    };
  }
}
