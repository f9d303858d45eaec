package ib.driver.verbs.cm;

import ib.core.cm.ConnectorEndpoint;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** {@code rdma_ucm_conn_param} in memory of C. */
final class ConnParam {
  private static final long QP_NUM = at("qp_num", 4);
  private static final long DATA = at("private_data", 256);
  private static final long DATA_LEN = at("private_data_len", 1);
  private static final long SRQ = at("srq", 1);
  private static final long RESPONDER_RESOURCES = at("responder_resources", 1);
  private static final long INITIATOR_DEPTH = at("initiator_depth", 1);
  private static final long FLOW_CONTROL = at("flow_control", 1);
  private static final long RETRY_COUNT = at("retry_count", 1);
  private static final long RNR_RETRY_COUNT = at("rnr_retry_count", 1);
  private static final long VALID = at("valid", 1);

  private ConnParam() {}

  private static long at(String field, int bytes) {
    return Layout.at("rdma_ucm_conn_param", field, bytes);
  }

  static void write(
      MemorySegment into, long at, ConnectorEndpoint mine, int retryCount, byte[] data) {
    into.set(ValueLayout.JAVA_INT, at + QP_NUM, mine.qpn());
    MemorySegment.copy(data, 0, into, ValueLayout.JAVA_BYTE, at + DATA, data.length);
    set(into, at + DATA_LEN, data.length);
    set(into, at + SRQ, mine.srq() ? 1 : 0);
    set(into, at + RESPONDER_RESOURCES, mine.responderResources());
    set(into, at + INITIATOR_DEPTH, mine.initiatorDepth());
    set(into, at + FLOW_CONTROL, 1);
    set(into, at + RETRY_COUNT, retryCount);
    set(into, at + RNR_RETRY_COUNT, mine.rnrRetry());
    set(into, at + VALID, 1);
  }

  /** Writes what a datagram service takes: a queue pair, 0 for none, and private data. */
  static void write(MemorySegment into, long at, int qpn, byte[] data) {
    into.set(ValueLayout.JAVA_INT, at + QP_NUM, qpn);
    MemorySegment.copy(data, 0, into, ValueLayout.JAVA_BYTE, at + DATA, data.length);
    set(into, at + DATA_LEN, data.length);
    set(into, at + VALID, 1);
  }

  private static void set(MemorySegment into, long at, int value) {
    into.set(ValueLayout.JAVA_BYTE, at, (byte) value);
  }

  private static int get(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  /**
   * {@return the peer's queue pair} The kernel tells the reads of a message from the receiver's
   * side: its resources are what the peer will have outstanding.
   */
  static ConnectorEndpoint peer(MemorySegment from, long at) {
    return new ConnectorEndpoint(
        from.get(ValueLayout.JAVA_INT, at + QP_NUM) & 0xffffff,
        get(from, at + INITIATOR_DEPTH),
        get(from, at + RESPONDER_RESOURCES),
        get(from, at + RNR_RETRY_COUNT) & 7,
        get(from, at + SRQ) != 0);
  }

  /** {@return the private data of the message that an event is about} */
  static byte[] data(MemorySegment from, long at) {
    byte[] all = new byte[get(from, at + DATA_LEN)];
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at + DATA, all, 0, all.length);
    return all;
  }

  /** {@return the private data with zeros behind, as a message has them} */
  static byte[] data(MemorySegment from, long at, int bytes) {
    return Arrays.copyOf(data(from, at), bytes);
  }
}
