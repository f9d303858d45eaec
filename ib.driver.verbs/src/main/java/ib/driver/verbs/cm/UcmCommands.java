package ib.driver.verbs.cm;

import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorPsns;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.cm.UcmFile.Command;
import ib.driver.verbs.cm.UcmFile.Request;
import ib.driver.verbs.object.Failures;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/**
 * The commands of the kernel's connection manager. Each throws {@link ib.core.verbs.IbException}
 * when the kernel refuses.
 */
final class UcmCommands {
  private static final int RC = 2; // IBV_QPT_RC
  private static final int RESOLVE_MS = 2000; // as rdma-core's programs
  private static final int QUERY_ADDR = 0;
  private static final int OPTION_TOS = 0; // of RDMA_OPTION_ID
  private static final int OPTION_ACK_TIMEOUT = 3;
  private static final int COMM_EST = 4; // IBV_EVENT_COMM_EST
  private static final int RTR = 2;
  private static final int RTS = 3;
  private static final byte CONSUMER_REJECT = 28;
  private static final ValueLayout.OfLong BE_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long ADDR_BYTES = Layout.size("rdma_ucm_query_addr_resp");
  private static final long QP_ATTR_BYTES = Layout.size("ib_uverbs_qp_attr");
  private static final long AH = Layout.at("ib_uverbs_qp_attr", "ah_attr");

  private final Libc libc;
  private final UcmFile file;
  private final String device;

  UcmCommands(Libc libc, UcmFile file, String device) {
    this.libc = libc;
    this.file = file;
    this.device = device;
  }

  private void give(Frame frame, Request request) {
    int errno = file.give(frame, request);
    if (errno != 0) {
      throw Failures.of(libc, errno, device + ".rdma_cm." + request);
    }
  }

  private static long id(String struct) {
    return Layout.at(struct, "id", 4);
  }

  int create(int portSpace, long uid) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_create_id";
      Request r =
          new Request(frame, Command.CREATE_ID, Layout.size("rdma_ucm_create_id_resp"))
              .put(Layout.at(s, "uid", 8), uid)
              .answerAt(Layout.at(s, "response", 8));
      r.body().set(ValueLayout.JAVA_SHORT, Layout.at(s, "ps", 2), (short) portSpace);
      r.body().set(ValueLayout.JAVA_BYTE, Layout.at(s, "qp_type", 1), (byte) RC);
      give(frame, r);
      return r.answer().get(ValueLayout.JAVA_INT, id("rdma_ucm_create_id_resp"));
    }
  }

  /** Destroys an ID; {@return 0 or the error number, which says that it has gone} */
  int destroy(int id) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_destroy_id";
      Request r =
          new Request(frame, Command.DESTROY_ID, Layout.size("rdma_ucm_destroy_id_resp"))
              .answerAt(Layout.at(s, "response", 8))
              .put(id(s), id);
      return file.give(frame, r);
    }
  }

  void bind(int id, InetSocketAddress address, int scope) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_bind";
      Request r = new Request(frame, Command.BIND, 0).put(id(s), id);
      int bytes = Sockaddr.write(r.body(), Layout.at(s, "addr"), address, scope);
      r.body().set(ValueLayout.JAVA_SHORT, Layout.at(s, "addr_size", 2), (short) bytes);
      give(frame, r);
    }
  }

  void listen(int id, int backlog) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_listen";
      give(
          frame,
          new Request(frame, Command.LISTEN, 0)
              .put(id(s), id)
              .put(Layout.at(s, "backlog", 4), backlog));
    }
  }

  void resolveAddress(int id, InetSocketAddress from, InetSocketAddress to, int scope) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_resolve_addr";
      Request r =
          new Request(frame, Command.RESOLVE_ADDR, 0)
              .put(id(s), id)
              .put(Layout.at(s, "timeout_ms", 4), RESOLVE_MS);
      int source = Sockaddr.write(r.body(), Layout.at(s, "src_addr"), from, scope);
      int destination = Sockaddr.write(r.body(), Layout.at(s, "dst_addr"), to, scope);
      r.body().set(ValueLayout.JAVA_SHORT, Layout.at(s, "src_size", 2), (short) source);
      r.body().set(ValueLayout.JAVA_SHORT, Layout.at(s, "dst_size", 2), (short) destination);
      give(frame, r);
    }
  }

  void resolveRoute(int id) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_resolve_route";
      give(
          frame,
          new Request(frame, Command.RESOLVE_ROUTE, 0)
              .put(id(s), id)
              .put(Layout.at(s, "timeout_ms", 4), RESOLVE_MS));
    }
  }

  private void option(int id, int name, int value) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_set_option";
      MemorySegment octet = frame.zeros(Long.BYTES);
      octet.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
      give(
          frame,
          new Request(frame, Command.SET_OPTION, 0)
              .put(Layout.at(s, "optval", 8), octet.address())
              .put(id(s), id)
              .put(Layout.at(s, "optname", 4), name)
              .put(Layout.at(s, "optlen", 4), 1));
    }
  }

  void trafficClass(int id, int value) {
    option(id, OPTION_TOS, value);
  }

  void ackTimeout(int id, int exponent) {
    option(id, OPTION_ACK_TIMEOUT, exponent);
  }

  void connect(int id, ConnectorEndpoint mine, int retryCount, byte[] data) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_connect";
      Request r = new Request(frame, Command.CONNECT, 0).put(id(s), id);
      ConnParam.write(r.body(), Layout.at(s, "conn_param"), mine, retryCount, data);
      give(frame, r);
    }
  }

  void accept(int id, long uid, ConnectorEndpoint mine, byte[] data) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_accept";
      Request r =
          new Request(frame, Command.ACCEPT, 0).put(Layout.at(s, "uid", 8), uid).put(id(s), id);
      ConnParam.write(r.body(), Layout.at(s, "conn_param"), mine, 0, data);
      give(frame, r);
    }
  }

  /** Confirms a reply: for the kernel an accept without parameters. */
  void confirm(int id, long uid) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_accept";
      give(
          frame,
          new Request(frame, Command.ACCEPT, 0).put(Layout.at(s, "uid", 8), uid).put(id(s), id));
    }
  }

  void reject(int id, byte[] data) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_reject";
      Request r = new Request(frame, Command.REJECT, 0).put(id(s), id);
      long at = Layout.at(s, "private_data", 256);
      MemorySegment.copy(data, 0, r.body(), ValueLayout.JAVA_BYTE, at, data.length);
      long bytes = Layout.at(s, "private_data_len", 1);
      r.body().set(ValueLayout.JAVA_BYTE, bytes, (byte) data.length);
      r.body().set(ValueLayout.JAVA_BYTE, Layout.at(s, "reason", 1), CONSUMER_REJECT);
      give(frame, r);
    }
  }

  void disconnect(int id) {
    try (Frame frame = new Frame()) {
      give(frame, new Request(frame, Command.DISCONNECT, 0).put(id("rdma_ucm_disconnect"), id));
    }
  }

  void dataArrived(int id) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_notify";
      give(
          frame,
          new Request(frame, Command.NOTIFY, 0)
              .put(id(s), id)
              .put(Layout.at(s, "event", 4), COMM_EST));
    }
  }

  /**
   * Where an ID is bound.
   *
   * @param guid node GUID of the device
   * @param port of the device
   */
  record Place(long guid, int port, InetSocketAddress local, InetSocketAddress remote) {}

  Place place(int id) {
    try (Frame frame = new Frame()) {
      String s = "rdma_ucm_query";
      String a = "rdma_ucm_query_addr_resp";
      Request r =
          new Request(frame, Command.QUERY, ADDR_BYTES)
              .answerAt(Layout.at(s, "response", 8))
              .put(id(s), id)
              .put(Layout.at(s, "option", 4), QUERY_ADDR);
      give(frame, r);
      MemorySegment answer = r.answer();
      return new Place(
          answer.get(BE_LONG, Layout.at(a, "node_guid", 8)),
          answer.get(ValueLayout.JAVA_BYTE, Layout.at(a, "port_num", 1)) & 0xff,
          Sockaddr.read(answer, Layout.at(a, "src_addr")),
          Sockaddr.read(answer, Layout.at(a, "dst_addr")));
    }
  }

  /** The attributes with which the kernel would move a queue pair. */
  record Steps(AhAttr way, Mtu mtu, ConnectorPsns psns, int ackTimeout, int retryCount) {}

  Steps steps(int id) {
    try (Frame frame = new Frame()) {
      MemorySegment rtr = attributes(frame, id, RTR);
      MemorySegment rts = attributes(frame, id, RTS);
      String s = "ib_uverbs_qp_attr";
      return new Steps(
          way(rtr),
          Mtu.of(rtr.get(ValueLayout.JAVA_INT, Layout.at(s, "path_mtu", 4))),
          new ConnectorPsns(
              rtr.get(ValueLayout.JAVA_INT, Layout.at(s, "rq_psn", 4)) & 0xffffff,
              rts.get(ValueLayout.JAVA_INT, Layout.at(s, "sq_psn", 4)) & 0xffffff),
          octet(rts, Layout.at(s, "timeout", 1)) & 31,
          octet(rts, Layout.at(s, "retry_cnt", 1)) & 7);
    }
  }

  private MemorySegment attributes(Frame frame, int id, int state) {
    String s = "rdma_ucm_init_qp_attr";
    Request r =
        new Request(frame, Command.INIT_QP_ATTR, QP_ATTR_BYTES)
            .answerAt(Layout.at(s, "response", 8))
            .put(id(s), id)
            .put(Layout.at(s, "qp_state", 4), state);
    give(frame, r);
    return r.answer();
  }

  private static int octet(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  private static AhAttr way(MemorySegment attr) {
    String s = "ib_uverbs_ah_attr";
    GlobalRoute route =
        new GlobalRoute(
            new Gid(
                attr.get(BE_LONG, AH + Layout.at(s, "grh.dgid", 16)),
                attr.get(BE_LONG, AH + Layout.at(s, "grh.dgid", 16) + Long.BYTES)),
            attr.get(ValueLayout.JAVA_INT, AH + Layout.at(s, "grh.flow_label", 4)) & 0xfffff,
            octet(attr, AH + Layout.at(s, "grh.sgid_index", 1)),
            octet(attr, AH + Layout.at(s, "grh.hop_limit", 1)),
            octet(attr, AH + Layout.at(s, "grh.traffic_class", 1)));
    return AhAttr.ofGid(octet(attr, AH + Layout.at(s, "port_num", 1)), route);
  }
}
