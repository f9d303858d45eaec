package ib.driver.verbs.object;

import ib.core.verbs.Gid;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.ToIntFunction;

/** Ports and their tables, read from the kernel at each call. */
final class Queries {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final long PORT_BYTES = Layout.size("ibv_port_attr");
  private static final long STATE = word("state");
  private static final long MAX_MTU = word("max_mtu");
  private static final long ACTIVE_MTU = word("active_mtu");
  private static final long GID_TBL_LEN = word("gid_tbl_len");
  private static final long PORT_CAP_FLAGS = word("port_cap_flags");
  private static final long MAX_MSG_SZ = word("max_msg_sz");
  private static final long BAD_PKEY_CNTR = word("bad_pkey_cntr");
  private static final long QKEY_VIOL_CNTR = word("qkey_viol_cntr");
  private static final long PKEY_TBL_LEN = half("pkey_tbl_len");
  private static final long LID = half("lid");
  private static final long SM_LID = half("sm_lid");
  private static final long PORT_CAP_FLAGS2 = half("port_cap_flags2");
  private static final long LMC = octet("lmc");
  private static final long MAX_VL_NUM = octet("max_vl_num");
  private static final long SM_SL = octet("sm_sl");
  private static final long SUBNET_TIMEOUT = octet("subnet_timeout");
  private static final long INIT_TYPE_REPLY = octet("init_type_reply");
  private static final long ACTIVE_WIDTH = octet("active_width");
  private static final long ACTIVE_SPEED = octet("active_speed");
  private static final long PHYS_STATE = octet("phys_state");
  private static final long LINK_LAYER = octet("link_layer");
  private static final long FLAGS = octet("flags");
  private static final long GID_BYTES = Layout.size("ibv_gid_entry");
  private static final long GID = Layout.at("ibv_gid_entry", "gid");
  private static final long GID_TYPE = Layout.at("ibv_gid_entry", "gid_type", 4);
  private static final int ROCE_V1 = 1; // of ibv_gid_type
  private static final int ETHERNET = 2; // IBV_LINK_LAYER_ETHERNET
  private static final int GRH_REQUIRED = 1; // IBV_QPF_GRH_REQUIRED

  private final VerbsContext context;

  Queries(VerbsContext context) {
    this.context = context;
  }

  private static long word(String field) {
    return Layout.at("ibv_port_attr", field, 4);
  }

  private static long half(String field) {
    return Layout.at("ibv_port_attr", field, 2);
  }

  private static long octet(String field) {
    return Layout.at("ibv_port_attr", field, 1);
  }

  private static int octet(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  private static int half(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_SHORT, at) & 0xffff;
  }

  PortAttr port(int port) {
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(PORT_BYTES);
      context.check(
          frame, "queryPort", context.library.queryPort, context.address, port, c.address());
      return PortAttr.builder()
          .state(of(PortState.values(), PortState::value, c.get(INT, STATE), PortState.DOWN))
          .physState(
              of(PhysState.values(), PhysState::value, octet(c, PHYS_STATE), PhysState.POLLING))
          .maxMtu(mtu(c.get(INT, MAX_MTU)))
          .activeMtu(mtu(c.get(INT, ACTIVE_MTU)))
          .lid(half(c, LID))
          .lmc(octet(c, LMC))
          .smLid(half(c, SM_LID))
          .smSl(octet(c, SM_SL))
          .linkLayer(octet(c, LINK_LAYER) == ETHERNET ? LinkLayer.ETHERNET : LinkLayer.INFINIBAND)
          .maxMsgSize(c.get(INT, MAX_MSG_SZ) & 0xffff_ffffL)
          .capFlags(c.get(INT, PORT_CAP_FLAGS))
          .capFlags2(half(c, PORT_CAP_FLAGS2))
          .gidTableLen(Math.max(0, c.get(INT, GID_TBL_LEN)))
          .pkeyTableLen(half(c, PKEY_TBL_LEN))
          .badPkeyCounter(c.get(INT, BAD_PKEY_CNTR) & 0xffff)
          .qkeyViolationCounter(c.get(INT, QKEY_VIOL_CNTR) & 0xffff)
          .maxVl(octet(c, MAX_VL_NUM))
          .subnetTimeout(octet(c, SUBNET_TIMEOUT))
          .initTypeReply(octet(c, INIT_TYPE_REPLY))
          .activeWidth(octet(c, ACTIVE_WIDTH))
          .activeSpeed(octet(c, ACTIVE_SPEED))
          .grhRequired((octet(c, FLAGS) & GRH_REQUIRED) != 0)
          .build();
    }
  }

  private static Mtu mtu(int number) {
    return of(Mtu.values(), Mtu::value, number, Mtu.MTU_256); // a port that is down may tell none
  }

  /** {@return the constant of a number; another one where no constant has it} */
  static <E> E of(E[] all, ToIntFunction<E> number, int wanted, E other) {
    return Arrays.stream(all).filter(e -> number.applyAsInt(e) == wanted).findFirst().orElse(other);
  }

  /**
   * Reads a GID. On Ethernet an entry of RoCE v1 counts as empty: a queue pair that uses such an
   * entry reaches no peer of RoCE v2, and the midlayer's table does not tell the versions apart.
   */
  Gid gid(int port, int index) {
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(GID_BYTES);
      int errno =
          frame.check(
              context.library.queryGid, context.address, port, index, c.address(), 0, GID_BYTES);
      if (errno == Libc.ENODATA) {
        return Gid.ZERO;
      }
      if (errno != 0) {
        throw context.failure(errno, "queryGid");
      }
      return c.get(INT, GID_TYPE) == ROCE_V1 ? Gid.ZERO : AhAttrs.gid(c, GID);
    }
  }

  int pkey(int port, int index) {
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(Long.BYTES);
      context.check(
          frame, "queryPkey", context.library.queryPkey, context.address, port, index, c.address());
      return Short.reverseBytes(c.get(ValueLayout.JAVA_SHORT, 0)) & 0xffff;
    }
  }
}
