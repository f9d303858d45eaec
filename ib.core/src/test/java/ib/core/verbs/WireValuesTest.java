package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The numbers of the C headers, typed in anew, beside ours. */
@DisplayName("API 3.4: numbers of ib_verbs.h and verbs.h")
class WireValuesTest {

  static Stream<Arguments> enums() {
    return Stream.of(work(), ports(), kinds()).flatMap(rows -> rows);
  }

  private static Stream<Arguments> work() {
    return Stream.of(
        row(
            Errno.values(),
            Errno::value,
            Errno::of,
            "EPERM 1 ENOENT 2 EINTR 4 EIO 5 EAGAIN 11 ENOMEM 12 EACCES 13 EBUSY 16 EEXIST 17 ENODEV 19"
                + " EINVAL 22 ENFILE 23 EDEADLK 35 EOVERFLOW 75 EOPNOTSUPP 95 ETIMEDOUT 110"),
        row(
            QpType.values(),
            QpType::value,
            QpType::of,
            "SMI 0 GSI 1 RC 2 UC 3 UD 4 XRC_INI 9 XRC_TGT 10"),
        row(
            QpState.values(),
            QpState::value,
            QpState::of,
            "RESET 0 INIT 1 RTR 2 RTS 3 SQD 4 SQE 5 ERR 6"),
        row(
            WcStatus.values(),
            WcStatus::value,
            WcStatus::of,
            "SUCCESS 0 LOC_LEN_ERR 1 LOC_QP_OP_ERR 2 LOC_EEC_OP_ERR 3 LOC_PROT_ERR 4 WR_FLUSH_ERR 5"
                + " MW_BIND_ERR 6 BAD_RESP_ERR 7 LOC_ACCESS_ERR 8 REM_INV_REQ_ERR 9"
                + " REM_ACCESS_ERR 10 REM_OP_ERR 11 RETRY_EXC_ERR 12 RNR_RETRY_EXC_ERR 13"
                + " LOC_RDD_VIOL_ERR 14 REM_INV_RD_REQ_ERR 15 REM_ABORT_ERR 16 INV_EECN_ERR 17"
                + " INV_EEC_STATE_ERR 18 FATAL_ERR 19 RESP_TIMEOUT_ERR 20 GENERAL_ERR 21"
                + " NOT_WRITTEN -2"),
        row(
            WcOpcode.values(),
            WcOpcode::value,
            WcOpcode::of,
            "SEND 0 RDMA_WRITE 1 RDMA_READ 2 COMP_SWAP 3 FETCH_ADD 4 BIND_MW 5 LOCAL_INV 6 LSO 7"
                + " FLUSH 8 ATOMIC_WRITE 9 REG_MR 10 MASKED_COMP_SWAP 11 MASKED_FETCH_ADD 12"
                + " RECV 128 RECV_RDMA_WITH_IMM 129"),
        row(
            WrOpcode.values(),
            WrOpcode::value,
            WrOpcode::of,
            "RDMA_WRITE 0 RDMA_WRITE_WITH_IMM 1 SEND 2 SEND_WITH_IMM 3 RDMA_READ 4"
                + " ATOMIC_CMP_AND_SWP 5 ATOMIC_FETCH_AND_ADD 6 LOCAL_INV 7 BIND_MW 8"
                + " SEND_WITH_INV 9 LSO 10 RDMA_READ_WITH_INV 11 MASKED_ATOMIC_CMP_AND_SWP 12"
                + " MASKED_ATOMIC_FETCH_AND_ADD 13 FLUSH 14 ATOMIC_WRITE 15 REG_MR 32"
                + " REG_MR_INTEGRITY 33"));
  }

  private static Stream<Arguments> ports() {
    return Stream.of(
        row(
            Mtu.values(),
            Mtu::value,
            Mtu::of,
            "MTU_256 1 MTU_512 2 MTU_1024 3 MTU_2048 4 MTU_4096 5"),
        row(
            PortState.values(),
            PortState::value,
            PortState::of,
            "NOP 0 DOWN 1 INIT 2 ARMED 3 ACTIVE 4 ACTIVE_DEFER 5"),
        row(
            PhysState.values(),
            PhysState::value,
            PhysState::of,
            "SLEEP 1 POLLING 2 DISABLED 3 PORT_CONFIGURATION_TRAINING 4 LINK_UP 5"
                + " LINK_ERROR_RECOVERY 6 PHY_TEST 7"),
        row(
            LinkLayer.values(),
            LinkLayer::value,
            LinkLayer::of,
            "UNSPECIFIED 0 INFINIBAND 1 ETHERNET 2"),
        row(
            NodeType.values(),
            NodeType::value,
            NodeType::of,
            "CA 1 SWITCH 2 ROUTER 3 RNIC 4 USNIC 5 USNIC_UDP 6 UNSPECIFIED 7"));
  }

  private static Stream<Arguments> kinds() {
    return Stream.of(
        row(AtomicCap.values(), AtomicCap::value, AtomicCap::of, "NONE 0 HCA 1 GLOB 2"),
        row(MigState.values(), MigState::value, MigState::of, "MIGRATED 0 REARM 1 ARMED 2"),
        row(SigType.values(), SigType::value, SigType::of, "ALL_WR 0 REQ_WR 1"),
        row(MwType.values(), MwType::value, MwType::of, "TYPE_1 1 TYPE_2 2"),
        row(
            PollContext.values(),
            PollContext::value,
            PollContext::of,
            "DIRECT 0 EVENT_LOOP 1 WORKQUEUE 2 UNBOUND 3"),
        row(
            EventType.values(),
            EventType::value,
            EventType::of,
            "CQ_ERR 0 QP_FATAL 1 QP_REQ_ERR 2 QP_ACCESS_ERR 3 COMM_EST 4 SQ_DRAINED 5 PATH_MIG 6"
                + " PATH_MIG_ERR 7 DEVICE_FATAL 8 PORT_ACTIVE 9 PORT_ERR 10 LID_CHANGE 11"
                + " PKEY_CHANGE 12 SM_CHANGE 13 SRQ_ERR 14 SRQ_LIMIT_REACHED 15"
                + " QP_LAST_WQE_REACHED 16 CLIENT_REREGISTER 17 GID_CHANGE 18 WQ_FATAL 19"
                + " DEVICE_SPEED_CHANGE 20 EVENT_OVERFLOW 1000 RESET_BEGIN 1001 RESET_END 1002"
                + " SOURCE_MUTED 1003 PORT_CHANGE 1004"));
  }

  private static <E extends Enum<E>> Arguments row(
      E[] constants, ToIntFunction<E> value, IntFunction<E> of, String header) {
    return Arguments.of(
        constants[0].getDeclaringClass().getSimpleName(), constants, value, of, header);
  }

  @ParameterizedTest(name = "API 3.4: {0}")
  @MethodSource("enums")
  <E extends Enum<E>> void enumHasTheNumbersOfTheHeader(
      String name, E[] constants, ToIntFunction<E> value, IntFunction<E> of, String header) {
    List<String> ours = new ArrayList<>();
    for (E c : constants) {
      ours.add(c.name() + " " + value.applyAsInt(c));
      assertSame(c, of.apply(value.applyAsInt(c)));
    }
    assertEquals(header, String.join(" ", ours), name);
    for (int unknown : new int[] {-1, 99, 130, 1005, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      String text = assertThrows(IbInvalidException.class, () -> of.apply(unknown)).getMessage();
      assertTrue(text.startsWith(name + " " + unknown + ": no such value"), text);
    }
  }

  static Stream<Arguments> holders() {
    return Stream.of(
        Arguments.of(
            Access.class,
            "LOCAL_WRITE 1 REMOTE_WRITE 2 REMOTE_READ 4 REMOTE_ATOMIC 8 MW_BIND 16 ZERO_BASED 32"
                + " FLUSH_GLOBAL 256 FLUSH_PERSISTENT 512 RELAXED_ORDERING 1048576"),
        Arguments.of(SendFlags.class, "FENCE 1 SIGNALED 2 SOLICITED 4 INLINE 8 ALL 15"),
        Arguments.of(WcFlags.class, "GRH 1 WITH_IMM 2 WITH_INVALIDATE 4 IP_CSUM_OK 8 MORE 128"),
        Arguments.of(NotifyFlags.class, "SOLICITED 1 NEXT_COMP 2 REPORT_MISSED_EVENTS 4"),
        Arguments.of(
            PostStatus.class,
            "OK 0 GONE -5 QUEUE_FULL -12 BUSY -16 INVALID -22 OVERRUN -75 NOT_SUPPORTED -95"),
        Arguments.of(
            WellKnown.class,
            "PKEY_DEFAULT_FULL 65535 QP1_QKEY -2147418112 QPN_SMI 0 QPN_GSI 1"
                + " QPN_MULTICAST 16777215 GRH_BYTES 40 PSN_MASK 16777215 RNR_RETRY_INFINITE 7"));
  }

  @ParameterizedTest(name = "API 3.4: {0}")
  @MethodSource("holders")
  void constantsHaveTheNumbersOfTheHeader(Class<?> holder, String header)
      throws IllegalAccessException {
    List<String> ours = new ArrayList<>();
    for (Field f : holder.getFields()) {
      assertEquals(true, Modifier.isFinal(f.getModifiers()));
      ours.add(f.getName() + " " + f.getInt(null));
    }
    assertEquals(pairs(header), pairs(String.join(" ", ours)));
  }

  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    String[] words = text.split(" ", -1);
    for (int i = 0; i < words.length; i += 2) {
      pairs.put(words[i], words[i + 1]);
    }
    return pairs;
  }
}
