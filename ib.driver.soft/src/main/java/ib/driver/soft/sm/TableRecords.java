package ib.driver.soft.sm;

import ib.core.mad.Mad;
import ib.core.mad.smp.SmpAttribute;
import ib.core.sa.GuidInfoRecord;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.sa.SlToVlRecord;
import ib.core.sa.SwitchInfoRecord;
import ib.core.sa.VlArbitrationRecord;
import ib.driver.soft.topology.NodePort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes the records of the tables of ports and switches (IBA 15.2.5). */
final class TableRecords {
  private static final int GUIDS_PER_BLOCK = 8;
  private static final int ARBITRATION_BLOCKS = 4;
  private static final int SWITCH_INFO_BYTES = 20;
  private static final int LANES_BYTES = 8;

  private final BuiltinSm manager;

  TableRecords(BuiltinSm manager) {
    this.manager = manager;
  }

  /** {@return the records that match a query} @throws Refusal for an unknown attribute */
  List<? extends SaRecord<?, ?>> find(Mad asked, long mask) {
    return switch (asked.header().attributeId()) {
      case SwitchInfoRecord.ATTRIBUTE_ID ->
          Records.matching(switches(), Administrator.read(new SwitchInfoRecord(), asked, mask));
      case GuidInfoRecord.ATTRIBUTE_ID ->
          Records.matching(guids(), Administrator.read(new GuidInfoRecord(), asked, mask));
      case SlToVlRecord.ATTRIBUTE_ID ->
          Records.matching(lanes(), Administrator.read(new SlToVlRecord(), asked, mask));
      case VlArbitrationRecord.ATTRIBUTE_ID ->
          Records.matching(
              arbitration(), Administrator.read(new VlArbitrationRecord(), asked, mask));
      default -> throw new Refusal(SaStatus.BAD_METHOD_ATTRIBUTE);
    };
  }

  private List<SwitchInfoRecord> switches() {
    List<SwitchInfoRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      if (port.node().isSwitch()) {
        byte[] info = Records.bytes(port, SmpAttribute.SWITCH_INFO, 0);
        all.add(
            new SwitchInfoRecord()
                .set(SwitchInfoRecord.Field.LID, port.lid())
                .set(SwitchInfoRecord.Field.SWITCH_INFO, Arrays.copyOf(info, SWITCH_INFO_BYTES)));
      }
    }
    return all;
  }

  private List<GuidInfoRecord> guids() {
    List<GuidInfoRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      for (int block = 0; block < NodePort.GUIDS / GUIDS_PER_BLOCK; block++) {
        all.add(
            new GuidInfoRecord()
                .set(GuidInfoRecord.Field.LID, port.lid())
                .set(GuidInfoRecord.Field.BLOCK_NUM, block)
                .set(
                    GuidInfoRecord.Field.GUIDS,
                    Records.bytes(port, SmpAttribute.GUID_INFO, block)));
      }
    }
    return all;
  }

  /** {@return the endpoint itself for an adapter, all ports of the node for a switch} */
  private static List<NodePort> ports(NodePort endpoint) {
    List<NodePort> ports = new ArrayList<>(List.of(endpoint));
    if (endpoint.node().isSwitch()) {
      ports.addAll(endpoint.node().ports());
    }
    return ports;
  }

  /** Returns one map for an adapter's port, one for each pair of ports for a switch. */
  private List<SlToVlRecord> lanes() {
    List<SlToVlRecord> all = new ArrayList<>();
    for (NodePort endpoint : manager.endpoints()) {
      boolean pairs = endpoint.node().isSwitch();
      for (NodePort out : ports(endpoint)) {
        for (NodePort in : ports(endpoint)) {
          int modifier = pairs ? in.number() << 8 | out.number() : 0;
          byte[] map = Records.bytes(endpoint, SmpAttribute.SL_TO_VL_MAPPING, modifier);
          all.add(
              new SlToVlRecord()
                  .set(SlToVlRecord.Field.LID, endpoint.lid())
                  .set(SlToVlRecord.Field.INPUT_PORT_NUM, pairs ? in.number() : 0)
                  .set(SlToVlRecord.Field.OUTPUT_PORT_NUM, pairs ? out.number() : 0)
                  .set(SlToVlRecord.Field.TABLE, Arrays.copyOf(map, LANES_BYTES)));
        }
      }
    }
    return all;
  }

  private List<VlArbitrationRecord> arbitration() {
    List<VlArbitrationRecord> all = new ArrayList<>();
    for (NodePort endpoint : manager.endpoints()) {
      for (NodePort port : ports(endpoint)) {
        for (int block = 1; block <= ARBITRATION_BLOCKS; block++) {
          int modifier = block << 16 | port.number();
          all.add(
              new VlArbitrationRecord()
                  .set(VlArbitrationRecord.Field.LID, endpoint.lid())
                  .set(VlArbitrationRecord.Field.OUTPUT_PORT_NUM, port.number())
                  .set(VlArbitrationRecord.Field.BLOCK_NUM, block)
                  .set(
                      VlArbitrationRecord.Field.TABLE,
                      Records.bytes(endpoint, SmpAttribute.VL_ARBITRATION, modifier)));
        }
      }
    }
    return all;
  }
}
