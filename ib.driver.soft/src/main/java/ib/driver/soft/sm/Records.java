package ib.driver.soft.sm;

import ib.core.mad.Mad;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.LftRecord;
import ib.core.sa.LinkRecord;
import ib.core.sa.MftRecord;
import ib.core.sa.NodeRecord;
import ib.core.sa.PkeyTableRecord;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.SaRecord;
import ib.core.sa.SmInfoRecord;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.sma.Sma;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Makes the records of nodes, ports and links when a query requests them (IBA 15.2.5). */
final class Records {
  private static final int CLASS_VERSION = 2;
  private static final int RESPONSE_TIME = 16;
  private static final int LFT_BLOCK = 64;
  private static final int MFT_BLOCK = 32;
  private static final int PKEY_BLOCK = 32;

  private final Subnet subnet;
  private final BuiltinSm manager;
  private final Negotiation negotiation;
  private final TableRecords tables;

  Records(Subnet subnet, BuiltinSm manager, Negotiation negotiation) {
    this.negotiation = negotiation;
    this.subnet = subnet;
    this.manager = manager;
    this.tables = new TableRecords(manager);
  }

  /** {@return the records that match a query} @throws Refusal for an unknown attribute */
  List<? extends SaRecord<?, ?>> find(Mad asked, long mask) {
    return switch (asked.header().attributeId()) {
      case ClassPortInfo.ATTRIBUTE_ID -> List.of(classPortInfo());
      case NodeRecord.ATTRIBUTE_ID ->
          matching(nodes(), Administrator.read(new NodeRecord(), asked, mask));
      case PortInfoRecord.ATTRIBUTE_ID ->
          matching(ports(), Administrator.read(new PortInfoRecord(), asked, mask));
      case LinkRecord.ATTRIBUTE_ID ->
          matching(links(), Administrator.read(new LinkRecord(), asked, mask));
      case SmInfoRecord.ATTRIBUTE_ID ->
          matching(managers(), Administrator.read(new SmInfoRecord(), asked, mask));
      case PkeyTableRecord.ATTRIBUTE_ID ->
          matching(pkeys(), Administrator.read(new PkeyTableRecord(), asked, mask));
      case LftRecord.ATTRIBUTE_ID ->
          matching(linear(), Administrator.read(new LftRecord(), asked, mask));
      case MftRecord.ATTRIBUTE_ID ->
          matching(multicast(), Administrator.read(new MftRecord(), asked, mask));
      default -> tables.find(asked, mask);
    };
  }

  static <R extends SaRecord<R, ?>> List<R> matching(List<R> all, R query) {
    return all.stream().filter(r -> r.matches(query)).toList();
  }

  private static ClassPortInfo classPortInfo() {
    return new ClassPortInfo()
        .set(ClassPortInfo.Field.BASE_VERSION, 1)
        .set(ClassPortInfo.Field.CLASS_VERSION, CLASS_VERSION)
        .set(ClassPortInfo.Field.CAPABILITY_MASK2, ClassPortInfo.SA_SEND_ONLY_FULL_MEMBER)
        .set(ClassPortInfo.Field.RESP_TIME_VALUE, RESPONSE_TIME);
  }

  private List<NodeRecord> nodes() {
    List<NodeRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      byte[] info = bytes(port, SmpAttribute.NODE_INFO, 0);
      all.add(
          new NodeRecord()
              .set(NodeRecord.Field.LID, port.lid())
              .set(NodeRecord.Field.NODE_INFO, java.util.Arrays.copyOf(info, 40))
              .set(NodeRecord.Field.NODE_DESCRIPTION, port.node().description()));
    }
    return all;
  }

  private List<PortInfoRecord> ports() {
    List<PortInfoRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      List<NodePort> ports = new ArrayList<>(List.of(port));
      if (port.node().isSwitch()) {
        ports.addAll(port.node().ports());
      }
      for (NodePort p : ports) {
        all.add(
            new PortInfoRecord()
                .set(PortInfoRecord.Field.LID, port.lid())
                .set(PortInfoRecord.Field.PORT_NUM, p.number())
                .set(
                    PortInfoRecord.Field.PORT_INFO,
                    bytes(port, SmpAttribute.PORT_INFO, p.number())));
      }
    }
    return all;
  }

  private List<LinkRecord> links() {
    List<LinkRecord> all = new ArrayList<>();
    for (Node node : subnet.nodes()) {
      for (NodePort port : node.ports()) {
        NodePort peer = port.linked() ? port.peer() : null;
        if (peer != null) {
          all.add(
              new LinkRecord()
                  .set(LinkRecord.Field.FROM_LID, node.managed(port).lid())
                  .set(LinkRecord.Field.FROM_PORT, port.number())
                  .set(LinkRecord.Field.TO_PORT, peer.number())
                  .set(LinkRecord.Field.TO_LID, peer.node().managed(peer).lid()));
        }
      }
    }
    return all;
  }

  private List<SmInfoRecord> managers() {
    List<SmInfoRecord> all = new ArrayList<>();
    NodePort seat = manager.seat();
    if (seat != null) {
      int activity = negotiation.activity();
      all.add(manager(seat, activity, negotiation.priority(), negotiation.state()));
    }
    negotiation.peers().forEach(p -> all.add(manager(p.port, p.activity, p.priority, p.state)));
    return all;
  }

  private static SmInfoRecord manager(NodePort at, int activity, int priority, SmState state) {
    return new SmInfoRecord()
        .set(SmInfoRecord.Field.LID, at.lid())
        .set(SmInfoRecord.Field.GUID, at.guid())
        .set(SmInfoRecord.Field.ACT_COUNT, activity)
        .set(SmInfoRecord.Field.PRIORITY, priority)
        .set(SmInfoRecord.Field.SM_STATE, state.ordinal());
  }

  private List<PkeyTableRecord> pkeys() {
    List<PkeyTableRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      for (int block = 0; block < NodePort.PKEYS / PKEY_BLOCK; block++) {
        all.add(
            new PkeyTableRecord()
                .set(PkeyTableRecord.Field.LID, port.lid())
                .set(PkeyTableRecord.Field.BLOCK_NUM, block)
                .set(PkeyTableRecord.Field.PORT_NUM, port.number())
                .set(
                    PkeyTableRecord.Field.PKEY_TABLE, bytes(port, SmpAttribute.PKEY_TABLE, block)));
      }
    }
    return all;
  }

  private List<LftRecord> linear() {
    List<LftRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      int top = SwitchInfo.LINEAR_FDB_TOP.in(port.node().switchInfo());
      for (int block = 0; port.number() == 0 && block <= top / LFT_BLOCK; block++) {
        all.add(
            new LftRecord()
                .set(LftRecord.Field.LID, port.lid())
                .set(LftRecord.Field.BLOCK_NUM, block)
                .set(LftRecord.Field.LFT, bytes(port, SmpAttribute.LINEAR_FORWARDING, block)));
      }
    }
    return all;
  }

  private List<MftRecord> multicast() {
    List<MftRecord> all = new ArrayList<>();
    for (NodePort port : manager.endpoints()) {
      int top = -1;
      for (int mlid : port.node().multicast().keySet()) {
        top = Math.max(top, (mlid - Node.MULTICAST_FIRST) / MFT_BLOCK);
      }
      for (int block = 0; block <= top; block++) {
        for (int position = 0; position <= port.node().portCount() / 16; position++) {
          int modifier = position << 28 | block;
          all.add(
              new MftRecord()
                  .set(MftRecord.Field.LID, port.lid())
                  .set(MftRecord.Field.POSITION, position)
                  .set(MftRecord.Field.BLOCK_NUM, block)
                  .set(
                      MftRecord.Field.MFT,
                      bytes(port, SmpAttribute.MULTICAST_FORWARDING, modifier)));
        }
      }
    }
    return all;
  }

  static byte[] bytes(NodePort port, SmpAttribute attribute, int modifier) {
    MemorySegment data = MemorySegment.ofArray(new byte[64]);
    Sma.get(port, attribute, modifier, data);
    return data.toArray(ValueLayout.JAVA_BYTE);
  }
}
