package ib.core.wire;

import static ib.core.wire.BthOpcode.Operation.ACKNOWLEDGE;
import static ib.core.wire.BthOpcode.Operation.ATOMIC;
import static ib.core.wire.BthOpcode.Operation.ATOMIC_ACKNOWLEDGE;
import static ib.core.wire.BthOpcode.Operation.ATOMIC_WRITE;
import static ib.core.wire.BthOpcode.Operation.CONGESTION;
import static ib.core.wire.BthOpcode.Operation.FLUSH;
import static ib.core.wire.BthOpcode.Operation.READ;
import static ib.core.wire.BthOpcode.Operation.READ_RESPONSE;
import static ib.core.wire.BthOpcode.Operation.SEND;
import static ib.core.wire.BthOpcode.Operation.WRITE;
import static ib.core.wire.BthOpcode.Part.FIRST;
import static ib.core.wire.BthOpcode.Part.LAST;
import static ib.core.wire.BthOpcode.Part.MIDDLE;
import static ib.core.wire.BthOpcode.Part.ONLY;
import static ib.core.wire.ExtendedHeader.AETH;
import static ib.core.wire.ExtendedHeader.ATOMIC_ACK_ETH;
import static ib.core.wire.ExtendedHeader.ATOMIC_ETH;
import static ib.core.wire.ExtendedHeader.DETH;
import static ib.core.wire.ExtendedHeader.FETH;
import static ib.core.wire.ExtendedHeader.IETH;
import static ib.core.wire.ExtendedHeader.IMM_DT;
import static ib.core.wire.ExtendedHeader.RETH;
import static ib.core.wire.PayloadRule.ANY;
import static ib.core.wire.PayloadRule.EIGHT;
import static ib.core.wire.PayloadRule.FULL;
import static ib.core.wire.PayloadRule.NONE;
import static ib.core.wire.PayloadRule.REST;
import static ib.core.wire.PayloadRule.SIXTEEN;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The opcodes of BTH (IBA vol. 1 table 38, annex A19 for FLUSH and ATOMIC WRITE, annex A17 for CNP)
 * as data: what each is, where it stands in its message, which headers follow BTH, and how much
 * payload it carries. RD and XRC are not among them. Any context.
 */
public enum BthOpcode {
  /** RC send, first. */
  RC_SEND_FIRST(0x00, SEND, FIRST, FULL),
  /** RC send, middle. */
  RC_SEND_MIDDLE(0x01, SEND, MIDDLE, FULL),
  /** RC send, last. */
  RC_SEND_LAST(0x02, SEND, LAST, REST),
  /** RC send, last with immediate. */
  RC_SEND_LAST_IMM(0x03, SEND, LAST, REST, IMM_DT),
  /** RC send, only. */
  RC_SEND_ONLY(0x04, SEND, ONLY, ANY),
  /** RC send, only with immediate. */
  RC_SEND_ONLY_IMM(0x05, SEND, ONLY, ANY, IMM_DT),
  /** RC write, first. */
  RC_RDMA_WRITE_FIRST(0x06, WRITE, FIRST, FULL, RETH),
  /** RC write, middle. */
  RC_RDMA_WRITE_MIDDLE(0x07, WRITE, MIDDLE, FULL),
  /** RC write, last. */
  RC_RDMA_WRITE_LAST(0x08, WRITE, LAST, REST),
  /** RC write, last with immediate. */
  RC_RDMA_WRITE_LAST_IMM(0x09, WRITE, LAST, REST, IMM_DT),
  /** RC write, only. */
  RC_RDMA_WRITE_ONLY(0x0A, WRITE, ONLY, ANY, RETH),
  /** RC write, only with immediate. */
  RC_RDMA_WRITE_ONLY_IMM(0x0B, WRITE, ONLY, ANY, RETH, IMM_DT),
  /** RC read request. */
  RC_RDMA_READ_REQUEST(0x0C, READ, ONLY, NONE, RETH),
  /** RC read response, first. */
  RC_RDMA_READ_RESPONSE_FIRST(0x0D, READ_RESPONSE, FIRST, FULL, AETH),
  /** RC read response, middle. */
  RC_RDMA_READ_RESPONSE_MIDDLE(0x0E, READ_RESPONSE, MIDDLE, FULL),
  /** RC read response, last. */
  RC_RDMA_READ_RESPONSE_LAST(0x0F, READ_RESPONSE, LAST, REST, AETH),
  /** RC read response, only. */
  RC_RDMA_READ_RESPONSE_ONLY(0x10, READ_RESPONSE, ONLY, ANY, AETH),
  /** RC acknowledge. */
  RC_ACKNOWLEDGE(0x11, ACKNOWLEDGE, ONLY, NONE, AETH),
  /** RC atomic acknowledge. */
  RC_ATOMIC_ACKNOWLEDGE(0x12, ATOMIC_ACKNOWLEDGE, ONLY, NONE, AETH, ATOMIC_ACK_ETH),
  /** RC compare and swap. */
  RC_COMPARE_SWAP(0x13, ATOMIC, ONLY, NONE, ATOMIC_ETH),
  /** RC fetch and add. */
  RC_FETCH_ADD(0x14, ATOMIC, ONLY, NONE, ATOMIC_ETH),
  /** RC send, last with invalidate. */
  RC_SEND_LAST_INV(0x16, SEND, LAST, REST, IETH),
  /** RC send, only with invalidate. */
  RC_SEND_ONLY_INV(0x17, SEND, ONLY, ANY, IETH),
  /** RC flush. */
  RC_FLUSH(0x1C, FLUSH, ONLY, NONE, FETH, RETH),
  /** RC atomic write. */
  RC_ATOMIC_WRITE(0x1D, ATOMIC_WRITE, ONLY, EIGHT, RETH),

  /** UC send, first. */
  UC_SEND_FIRST(0x20, SEND, FIRST, FULL),
  /** UC send, middle. */
  UC_SEND_MIDDLE(0x21, SEND, MIDDLE, FULL),
  /** UC send, last. */
  UC_SEND_LAST(0x22, SEND, LAST, REST),
  /** UC send, last with immediate. */
  UC_SEND_LAST_IMM(0x23, SEND, LAST, REST, IMM_DT),
  /** UC send, only. */
  UC_SEND_ONLY(0x24, SEND, ONLY, ANY),
  /** UC send, only with immediate. */
  UC_SEND_ONLY_IMM(0x25, SEND, ONLY, ANY, IMM_DT),
  /** UC write, first. */
  UC_RDMA_WRITE_FIRST(0x26, WRITE, FIRST, FULL, RETH),
  /** UC write, middle. */
  UC_RDMA_WRITE_MIDDLE(0x27, WRITE, MIDDLE, FULL),
  /** UC write, last. */
  UC_RDMA_WRITE_LAST(0x28, WRITE, LAST, REST),
  /** UC write, last with immediate. */
  UC_RDMA_WRITE_LAST_IMM(0x29, WRITE, LAST, REST, IMM_DT),
  /** UC write, only. */
  UC_RDMA_WRITE_ONLY(0x2A, WRITE, ONLY, ANY, RETH),
  /** UC write, only with immediate. */
  UC_RDMA_WRITE_ONLY_IMM(0x2B, WRITE, ONLY, ANY, RETH, IMM_DT),

  /** UD send. */
  UD_SEND_ONLY(0x64, SEND, ONLY, ANY, DETH),
  /** UD send with immediate. */
  UD_SEND_ONLY_IMM(0x65, SEND, ONLY, ANY, DETH, IMM_DT),

  /** Congestion notification packet of RoCEv2. */
  CNP(0x81, CONGESTION, ONLY, SIXTEEN);

  /** The transport service: the upper three bits. */
  public enum Service {
    /** Reliable connection. */
    RC(0x00),
    /** Unreliable connection. */
    UC(0x20),
    /** Unreliable datagram. */
    UD(0x60),
    /** Congestion notification. */
    CNP(0x80);

    private final int bits;

    Service(int bits) {
      this.bits = bits;
    }

    /** {@return the bits in an opcode} */
    public int bits() {
      return bits;
    }
  }

  /** The operation that a packet is part of. */
  public enum Operation {
    /** A send request. */
    SEND,
    /** A write request. */
    WRITE,
    /** A read request. */
    READ,
    /** The answer to a read, an atomic write or a flush. */
    READ_RESPONSE,
    /** ACK, RNR NAK or NAK. */
    ACKNOWLEDGE,
    /** An atomic request. */
    ATOMIC,
    /** The answer to an atomic. */
    ATOMIC_ACKNOWLEDGE,
    /** A flush request. */
    FLUSH,
    /** An atomic write request. */
    ATOMIC_WRITE,
    /** A congestion notification. */
    CONGESTION;

    /** {@return whether it goes from responder to requester} */
    public boolean isResponse() {
      return this == READ_RESPONSE || this == ACKNOWLEDGE || this == ATOMIC_ACKNOWLEDGE;
    }
  }

  /** Where a packet stands in its message. */
  public enum Part {
    /** The first of several. */
    FIRST,
    /** Neither first nor last. */
    MIDDLE,
    /** The last of several. */
    LAST,
    /** First and last. */
    ONLY
  }

  private static final int SERVICE_MASK = 0xe0;
  private static final @Nullable BthOpcode[] TABLE = new @Nullable BthOpcode[256];

  static {
    for (BthOpcode opcode : values()) {
      TABLE[opcode.value] = opcode;
    }
  }

  private final int value;
  private final Service service;
  private final Operation operation;
  private final Part part;
  private final PayloadRule payload;
  private final Set<ExtendedHeader> headers;
  private final int headerBits;
  private final int headerBytes;

  BthOpcode(
      int value, Operation operation, Part part, PayloadRule payload, ExtendedHeader... follow) {
    this.value = value;
    this.operation = operation;
    this.part = part;
    this.payload = payload;
    this.service = serviceOf(value);
    Set<ExtendedHeader> set = EnumSet.noneOf(ExtendedHeader.class);
    set.addAll(List.of(follow));
    this.headers = Collections.unmodifiableSet(set);
    int bits = 0;
    int bytes = Bth.BYTES;
    for (ExtendedHeader header : set) {
      bits |= 1 << header.ordinal();
      bytes += header.bytes();
    }
    this.headerBits = bits;
    this.headerBytes = bytes;
  }

  private static Service serviceOf(int value) {
    for (Service service : Service.values()) {
      if (service.bits == (value & SERVICE_MASK)) {
        return service;
      }
    }
    throw new IllegalArgumentException("opcode " + value + " has no service");
  }

  /**
   * The opcode of a number.
   *
   * @param value 8 bits, more are ignored
   * @return the opcode, or null when it is unknown
   */
  public static @Nullable BthOpcode of(int value) {
    return TABLE[value & 0xff];
  }

  /** {@return the number in BTH} */
  public int value() {
    return value;
  }

  /** {@return the transport service} */
  public Service service() {
    return service;
  }

  /** {@return what it is part of} */
  public Operation operation() {
    return operation;
  }

  /** {@return where it stands in its message} */
  public Part part() {
    return part;
  }

  /** {@return whether it begins a message} */
  public boolean isStart() {
    return part == FIRST || part == ONLY;
  }

  /** {@return whether it ends a message} */
  public boolean isEnd() {
    return part == LAST || part == ONLY;
  }

  /** {@return how much payload it carries} */
  public PayloadRule payload() {
    return payload;
  }

  /** {@return the headers after BTH, in their order; unmodifiable} */
  public Set<ExtendedHeader> headers() {
    return headers;
  }

  /**
   * Whether a header follows BTH. Allocates nothing.
   *
   * @param header the header
   * @return whether the opcode has it
   */
  public boolean has(ExtendedHeader header) {
    return (headerBits >>> header.ordinal() & 1) != 0;
  }

  /** {@return the length of BTH and all headers that follow} */
  public int headerBytes() {
    return headerBytes;
  }
}
