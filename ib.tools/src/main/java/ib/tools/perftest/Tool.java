package ib.tools.perftest;

import ib.core.verbs.Access;
import ib.core.verbs.QpType;
import ib.core.verbs.WrOpcode;
import java.util.Locale;
import java.util.Set;

/** The eight programs of perftest. */
public enum Tool {
  /** Bandwidth of sends. */
  SEND_BW("Send BW Test", Verb.SEND),
  /** Latency of sends, by messages to the peer and back. */
  SEND_LAT("Send Latency Test", Verb.SEND),
  /** Bandwidth of RDMA writes. */
  WRITE_BW("RDMA_Write BW Test", Verb.WRITE),
  /** Latency of RDMA writes, by messages to the peer and back. */
  WRITE_LAT("RDMA_Write Latency Test", Verb.WRITE),
  /** Bandwidth of RDMA reads. */
  READ_BW("RDMA_Read BW Test", Verb.READ),
  /** Latency of RDMA reads, one at a time. */
  READ_LAT("RDMA_Read Latency Test", Verb.READ),
  /** Bandwidth of atomics. */
  ATOMIC_BW("BW Test", Verb.ATOMIC),
  /** Latency of atomics, one at a time. */
  ATOMIC_LAT("Latency Test", Verb.ATOMIC);

  /** The measured operation. */
  enum Verb {
    SEND("sends", 0, Set.of(QpType.RC, QpType.UC, QpType.UD)),
    WRITE("RDMA writes", Access.REMOTE_WRITE, Set.of(QpType.RC, QpType.UC)),
    READ("RDMA reads", Access.REMOTE_READ, Set.of(QpType.RC)),
    ATOMIC("atomics", Access.REMOTE_ATOMIC, Set.of(QpType.RC));

    /** The access flags that the peer needs for this end's memory. */
    final int access;

    /** The types of queue pairs that support the operation. */
    final Set<QpType> types;

    private final String operations;

    Verb(String operations, int access, Set<QpType> types) {
      this.operations = operations;
      this.access = access;
      this.types = types;
    }

    /** {@return whether the responder answers with data} */
    boolean answered() {
      return this == READ || this == ATOMIC;
    }
  }

  private final String title;
  final Verb verb;

  Tool(String title, Verb verb) {
    this.title = title;
    this.verb = verb;
  }

  /** {@return the command's name} */
  public String program() {
    return "ib_" + name().toLowerCase(Locale.ROOT);
  }

  /** {@return what it measures, for example {@code latency of RDMA writes}} */
  public String measure() {
    return (bandwidth() ? "bandwidth of " : "latency of ") + verb.operations;
  }

  /** {@return whether many messages are outstanding at a time} */
  boolean bandwidth() {
    return name().endsWith("_BW");
  }

  /** {@return the headline} */
  String title(WrOpcode opcode, boolean duplex, boolean lists) {
    String kind = (duplex ? "Bidirectional " : "") + (lists ? "Post List " : "");
    String title = this.title.replace("BW", kind + "BW");
    return switch (opcode) {
      case ATOMIC_FETCH_AND_ADD -> "Atomic FETCH_AND_ADD " + title;
      case ATOMIC_CMP_AND_SWP -> "Atomic CMP_AND_SWAP " + title;
      default -> title;
    };
  }
}
