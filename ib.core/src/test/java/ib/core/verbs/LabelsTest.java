package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The labels that the tools of the field print, beside those of this project. */
@DisplayName("API 3.3, 3.4: labels, capability bits, attribute bits")
class LabelsTest {

  @Test
  @DisplayName("API 3.4: ibv_devinfo, ibstat, rdma and sysfs texts")
  void labels() {
    assertEquals("PORT_ACTIVE", PortState.ACTIVE.label());
    assertEquals("PORT_ACTIVE_DEFER", PortState.ACTIVE_DEFER.label());
    assertEquals("Ethernet", LinkLayer.ETHERNET.label());
    assertEquals("InfiniBand", LinkLayer.INFINIBAND.label());
    assertEquals("ATOMIC_HCA", AtomicCap.HCA.label());
    assertEquals("usNIC UDP", NodeType.USNIC_UDP.label());
    assertEquals("transport retry counter exceeded", WcStatus.RETRY_EXC_ERR.label());
    assertEquals("Work Request Flushed Error", WcStatus.WR_FLUSH_ERR.label());
    assertEquals(
        List.of("DIRECT", "SOFTIRQ", "WORKQUEUE", "UNBOUND_WORKQUEUE"),
        Arrays.stream(PollContext.values()).map(PollContext::label).toList());
    assertEquals("IBV_EVENT_QP_LAST_WQE_REACHED", EventType.QP_LAST_WQE_REACHED.label());
  }

  @Test
  @DisplayName("API 3.3: what each event is about")
  void affiliations() {
    assertEquals(
        "CQ_ERR|QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST SQ_DRAINED PATH_MIG PATH_MIG_ERR"
            + " QP_LAST_WQE_REACHED|SRQ_ERR SRQ_LIMIT_REACHED|WQ_FATAL|PORT_ACTIVE PORT_ERR"
            + " LID_CHANGE PKEY_CHANGE SM_CHANGE CLIENT_REREGISTER GID_CHANGE SOURCE_MUTED"
            + " PORT_CHANGE"
            + "|DEVICE_FATAL DEVICE_SPEED_CHANGE EVENT_OVERFLOW RESET_BEGIN RESET_END",
        Arrays.stream(EventType.Affiliation.values())
            .map(
                a ->
                    Arrays.stream(EventType.values())
                        .filter(e -> e.affiliation() == a)
                        .map(EventType::name)
                        .collect(Collectors.joining(" ")))
            .collect(Collectors.joining("|")));
    assertTrue(EventType.PORT_ERR.unaffiliated());
    assertTrue(EventType.DEVICE_FATAL.unaffiliated());
    assertFalse(EventType.CQ_ERR.unaffiliated());
    assertFalse(EventType.SRQ_LIMIT_REACHED.unaffiliated());
  }

  @Test
  @DisplayName("API 3.4: the flags word 0x01223c76 of rdma_rxe and the names ibv_devinfo gives it")
  void capabilityWord() {
    Set<Cap> rxe =
        EnumSet.of(
            Cap.BAD_PKEY_CNTR,
            Cap.BAD_QKEY_CNTR,
            Cap.AUTO_PATH_MIG,
            Cap.CHANGE_PHY_PORT,
            Cap.UD_AV_PORT_ENFORCE,
            Cap.PORT_ACTIVE_EVENT,
            Cap.SYS_IMAGE_GUID,
            Cap.RC_RNR_NAK_GEN,
            Cap.SRQ_RESIZE,
            Cap.MEM_WINDOW,
            Cap.MEM_MGT_EXTENSIONS,
            Cap.MEM_WINDOW_TYPE_2B);
    assertEquals(0x01223c76L, Cap.flags(rxe));
    rxe.addAll(EnumSet.of(Cap.FLUSH_GLOBAL, Cap.FLUSH_PERSISTENT, Cap.ATOMIC_WRITE, Cap.RC));
    assertEquals(0x1C0_0122_3c76L, Cap.flags(rxe));
  }

  @Test
  @DisplayName("API 3.4: every capability bit of ibv_device_cap_flags")
  void capabilityBits() {
    assertEquals(
        "RESIZE_MAX_WR 1 BAD_PKEY_CNTR 2 BAD_QKEY_CNTR 4 RAW_MULTI 8 AUTO_PATH_MIG 10"
            + " CHANGE_PHY_PORT 20 UD_AV_PORT_ENFORCE 40 CURR_QP_STATE_MOD 80 SHUTDOWN_PORT 100"
            + " INIT_TYPE 200 PORT_ACTIVE_EVENT 400 SYS_IMAGE_GUID 800 RC_RNR_NAK_GEN 1000"
            + " SRQ_RESIZE 2000 N_NOTIFY_CQ 4000 MEM_WINDOW 20000 UD_IP_CSUM 40000 UD_TSO 80000"
            + " XRC 100000"
            + " MEM_MGT_EXTENSIONS 200000 MEM_WINDOW_TYPE_2A 800000 MEM_WINDOW_TYPE_2B 1000000"
            + " RC_IP_CSUM 2000000 RAW_IP_CSUM 4000000 MANAGED_FLOW_STEERING 20000000"
            + " RAW_SCATTER_FCS 400000000 PCI_WRITE_END_PADDING 1000000000"
            + " FLUSH_GLOBAL 4000000000 FLUSH_PERSISTENT 8000000000 ATOMIC_WRITE 10000000000"
            + " RC 0 UC 0 UD 0 SMI 0 GSI 0 SRQ 0 ATOMICS 0 MULTICAST 0 CQ_RESIZE 0"
            + " CQ_MODERATION 0 REREG_MR 0",
        Arrays.stream(Cap.values())
            .map(c -> c + " " + Long.toHexString(c.mask()))
            .collect(Collectors.joining(" ")));
  }

  @Test
  @DisplayName("API 3.4: the numeric lines of ibv_devinfo -v, in their order")
  void limits() {
    assertEquals(
        "max_mr_size page_size_cap max_qp max_qp_wr max_sge max_sge_rd max_cq max_cqe max_mr max_pd"
            + " max_qp_rd_atom max_ee_rd_atom max_res_rd_atom max_qp_init_rd_atom"
            + " max_ee_init_rd_atom max_ee max_rdd max_mw max_raw_ipv6_qp max_raw_ethy_qp"
            + " max_mcast_grp max_mcast_qp_attach max_total_mcast_qp_attach max_ah max_fmr max_srq"
            + " max_srq_wr max_srq_sge max_pkeys local_ca_ack_delay max_tso"
            + " max_rwq_indirection_tables max_rwq_indirection_table_size rx_hash_function"
            + " rx_hash_fields_mask max_wq_type_rq qp_rate_limit_min qp_rate_limit_max"
            + " num_comp_vectors max_inline_data max_msg_sz",
        Arrays.stream(Limit.values()).map(Limit::label).collect(Collectors.joining(" ")));
  }

  @Test
  @DisplayName("API 3.4: 21 bits of ibv_qp_attr_mask")
  void attributeBits() {
    assertEquals(
        "STATE 1 CUR_STATE 2 EN_SQD_ASYNC_NOTIFY 4 ACCESS_FLAGS 8 PKEY_INDEX 10 PORT 20 QKEY 40"
            + " AV 80 PATH_MTU 100 TIMEOUT 200 RETRY_CNT 400 RNR_RETRY 800 RQ_PSN 1000"
            + " MAX_QP_RD_ATOMIC 2000 ALT_PATH 4000 MIN_RNR_TIMER 8000 SQ_PSN 10000"
            + " MAX_DEST_RD_ATOMIC 20000 PATH_MIG_STATE 40000 CAP 80000 DEST_QPN 100000",
        Arrays.stream(QpAttrMask.values())
            .map(m -> m + " " + Integer.toHexString(m.mask()))
            .collect(Collectors.joining(" ")));
    assertEquals(EnumSet.of(QpAttrMask.PORT, QpAttrMask.AV), QpAttrMask.of(0xA0));
    assertEquals(EnumSet.allOf(QpAttrMask.class), QpAttrMask.of(0x1FFFFF));
    assertThrows(IbInvalidException.class, () -> QpAttrMask.of(1 << 21));
  }

  @Test
  @DisplayName("ib_mtu: MTU codes stand for 256 to 4096 bytes")
  void mtuBytes() {
    assertEquals(
        List.of(256, 512, 1024, 2048, 4096), Arrays.stream(Mtu.values()).map(Mtu::bytes).toList());
    for (Mtu m : Mtu.values()) {
      assertEquals(m, Mtu.ofBytes(m.bytes()));
    }
    assertThrows(IbInvalidException.class, () -> Mtu.ofBytes(1500));
  }

  @Test
  @DisplayName(
      "ib_qp_type: datagram services; Poll for Completion: receive completions have the top bit")
  void kinds() {
    assertEquals(
        EnumSet.of(QpType.UD, QpType.GSI, QpType.SMI),
        Arrays.stream(QpType.values()).filter(QpType::isDatagram).collect(Collectors.toSet()));
    assertEquals(
        EnumSet.of(WcOpcode.RECV, WcOpcode.RECV_RDMA_WITH_IMM),
        Arrays.stream(WcOpcode.values()).filter(WcOpcode::isReceive).collect(Collectors.toSet()));
  }
}
