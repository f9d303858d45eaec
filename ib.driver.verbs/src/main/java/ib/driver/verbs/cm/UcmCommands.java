package ib.driver.verbs.cm;

import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorPsns;
import ib.core.cm.ConnectorSpace;
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
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The commands of the kernel's connection manager. Each throws {@link ib.core.verbs.IbException}
 * when the kernel refuses.
 */
final class UcmCommands {
  private static final int RC = 2; // IBV_QPT_RC
  private static final int UD = 4; // IBV_QPT_UD
  private static final int RESOLVE_MS = 2000; // as rdma-core's programs
  private static final int QUERY_ADDR = 0;
  private static final int OPTION_TOS = 0; // of RDMA_OPTION_ID
  private static final int OPTION_ACK_TIMEOUT = 3;
  private static final int COMM_EST = 4; // IBV_EVENT_COMM_EST
  private static final int RTR = 2;
  private static final int RTS = 3;
  private static final int CONSUMER_REJECT = 28;
  private static final ValueLayout.OfLong BE_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long AH = Layout.at("ib_uverbs_qp_attr", "ah_attr");

  private final Libc libc;
  private final UcmFile file;
  private final String device;

  UcmCommands(Libc libc, UcmFile file, String device) {
    this.libc = libc;
    this.file = file;
    this.device = device;
  }

  private void give(Request request) {
    int errno = file.give(request);
    if (errno != 0) {
      throw Failures.of(libc, errno, device + ".rdma_cm." + request);
    }
  }

  /** Gives a command about an ID, which has no answer. */
  private void give(Command command, int id, Consumer<Request> fields) {
    try (Frame frame = new Frame()) {
      Request r = new Request(frame, command).put("id", id);
      fields.accept(r);
      give(r);
    }
  }

  /** Gives a command; {@return what is read of the answer} */
  private <T> T ask(
      Command command, String answer, Consumer<Request> fields, Function<MemorySegment, T> read) {
    try (Frame frame = new Frame()) {
      Request r = new Request(frame, command);
      MemorySegment answered = r.answer(answer);
      fields.accept(r);
      give(r);
      return read.apply(answered);
    }
  }

  int create(ConnectorSpace space, long uid) {
    int type = space == ConnectorSpace.UDP ? UD : RC;
    String answer = "rdma_ucm_create_id_resp";
    return ask(
        Command.CREATE_ID,
        answer,
        r -> r.put("uid", uid).putShort("ps", space.value()).putByte("qp_type", type),
        a -> a.get(ValueLayout.JAVA_INT, Layout.at(answer, "id", 4)));
  }

  /** Destroys an ID; {@return 0 or the error number, which says that it has gone} */
  int destroy(int id) {
    try (Frame frame = new Frame()) {
      Request r = new Request(frame, Command.DESTROY_ID).put("id", id);
      r.answer("rdma_ucm_destroy_id_resp");
      return file.give(r);
    }
  }

  void bind(int id, InetSocketAddress address, int scope) {
    give(Command.BIND, id, r -> address(r, "addr", "addr_size", address, scope));
  }

  private static void address(
      Request r, String field, String size, InetSocketAddress address, int scope) {
    r.putShort(size, Sockaddr.write(r.body, r.at(field), address, scope));
  }

  void listen(int id, int backlog) {
    give(Command.LISTEN, id, r -> r.put("backlog", backlog));
  }

  void resolveAddress(int id, InetSocketAddress from, InetSocketAddress to, int scope) {
    give(
        Command.RESOLVE_ADDR,
        id,
        r -> {
          r.put("timeout_ms", RESOLVE_MS);
          address(r, "src_addr", "src_size", from, scope);
          address(r, "dst_addr", "dst_size", to, scope);
        });
  }

  void resolveRoute(int id) {
    give(Command.RESOLVE_ROUTE, id, r -> r.put("timeout_ms", RESOLVE_MS));
  }

  private void option(int id, int name, int value) {
    give(
        Command.SET_OPTION,
        id,
        r -> {
          MemorySegment octet = r.zeros(Long.BYTES);
          octet.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
          r.put("optval", octet.address()).put("optname", name).put("optlen", 1);
        });
  }

  void trafficClass(int id, int value) {
    option(id, OPTION_TOS, value);
  }

  void ackTimeout(int id, int exponent) {
    option(id, OPTION_ACK_TIMEOUT, exponent);
  }

  void connect(int id, ConnectorEndpoint mine, int retryCount, byte[] data) {
    give(
        Command.CONNECT,
        id,
        r -> ConnParam.write(r.body, r.at("conn_param"), mine, retryCount, data));
  }

  /** Asks for the queue pair of a datagram service. */
  void ask(int id, byte[] data) {
    give(Command.CONNECT, id, r -> ConnParam.write(r.body, r.at("conn_param"), 0, data));
  }

  /** Answers a question for a datagram service; the kernel puts RDMA CM's Q_Key in. */
  void answer(int id, int qpn, byte[] data) {
    give(Command.ACCEPT, id, r -> ConnParam.write(r.body, r.at("conn_param"), qpn, data));
  }

  void accept(int id, long uid, ConnectorEndpoint mine, byte[] data) {
    give(
        Command.ACCEPT,
        id,
        r -> ConnParam.write(r.put("uid", uid).body, r.at("conn_param"), mine, 0, data));
  }

  /** Confirms a reply: for the kernel an accept without parameters. */
  void confirm(int id, long uid) {
    give(Command.ACCEPT, id, r -> r.put("uid", uid));
  }

  void reject(int id, byte[] data) {
    give(
        Command.REJECT,
        id,
        r ->
            r.put("private_data", data, 256)
                .putByte("private_data_len", data.length)
                .putByte("reason", CONSUMER_REJECT));
  }

  void disconnect(int id) {
    give(Command.DISCONNECT, id, r -> {});
  }

  void dataArrived(int id) {
    give(Command.NOTIFY, id, r -> r.put("event", COMM_EST));
  }

  /**
   * Where an ID is bound.
   *
   * @param guid node GUID of the device
   * @param port of the device
   */
  record Place(long guid, int port, InetSocketAddress local, InetSocketAddress remote) {
    private static final String STRUCT = "rdma_ucm_query_addr_resp";

    static Place of(MemorySegment answer) {
      return new Place(
          answer.get(BE_LONG, Layout.at(STRUCT, "node_guid", 8)),
          octet(answer, Layout.at(STRUCT, "port_num", 1)),
          Sockaddr.read(answer, Layout.at(STRUCT, "src_addr")),
          Sockaddr.read(answer, Layout.at(STRUCT, "dst_addr")));
    }
  }

  Place place(int id) {
    return ask(
        Command.QUERY, Place.STRUCT, r -> r.put("id", id).put("option", QUERY_ADDR), Place::of);
  }

  /** The attributes with which the kernel would move a queue pair. */
  record Steps(AhAttr way, Mtu mtu, ConnectorPsns psns, int ackTimeout, int retryCount) {
    private static final String STRUCT = "ib_uverbs_qp_attr";

    static Steps of(MemorySegment rtr, MemorySegment rts) {
      return new Steps(
          UcmCommands.way(rtr),
          Mtu.of(rtr.get(ValueLayout.JAVA_INT, Layout.at(STRUCT, "path_mtu", 4))),
          new ConnectorPsns(
              rtr.get(ValueLayout.JAVA_INT, Layout.at(STRUCT, "rq_psn", 4)) & 0xffffff,
              rts.get(ValueLayout.JAVA_INT, Layout.at(STRUCT, "sq_psn", 4)) & 0xffffff),
          octet(rts, Layout.at(STRUCT, "timeout", 1)) & 31,
          octet(rts, Layout.at(STRUCT, "retry_cnt", 1)) & 7);
    }
  }

  Steps steps(int id) {
    return attributes(id, RTR, rtr -> attributes(id, RTS, rts -> Steps.of(rtr, rts)));
  }

  private Steps attributes(int id, int state, Function<MemorySegment, Steps> read) {
    return ask(
        Command.INIT_QP_ATTR, Steps.STRUCT, r -> r.put("id", id).put("qp_state", state), read);
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
