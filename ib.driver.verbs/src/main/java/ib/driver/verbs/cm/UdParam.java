package ib.driver.verbs.cm;

import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * {@code rdma_ucm_ud_param} in memory of C: what an event says of a datagram service, or of a peer
 * that asks for one.
 *
 * @param qpn queue pair of the service
 * @param qkey its Q_Key
 * @param data private data
 */
record UdParam(int qpn, int qkey, byte[] data) {
  private static final long QP_NUM = at("qp_num", 4);
  private static final long QKEY = at("qkey", 4);
  private static final long DATA = at("private_data", 256);
  private static final long DATA_LEN = at("private_data_len", 1);

  private static long at(String field, int bytes) {
    return Layout.at("rdma_ucm_ud_param", field, bytes);
  }

  /** {@return what an event says} */
  static UdParam read(MemorySegment from, long at) {
    byte[] all = new byte[from.get(ValueLayout.JAVA_BYTE, at + DATA_LEN) & 0xff];
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at + DATA, all, 0, all.length);
    return new UdParam(
        from.get(ValueLayout.JAVA_INT, at + QP_NUM) & 0xffffff,
        from.get(ValueLayout.JAVA_INT, at + QKEY),
        all);
  }

  /** {@return the private data with zeros behind, as a message has them} */
  byte[] data(int bytes) {
    return Arrays.copyOf(data, bytes);
  }
}
