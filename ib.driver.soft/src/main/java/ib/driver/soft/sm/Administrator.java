package ib.driver.soft.sm;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.NoticeLayout;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.sa.InformInfo;
import ib.core.sa.InformInfoRecord;
import ib.core.sa.McMemberRecord;
import ib.core.sa.PathRecord;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.sa.ServiceRecord;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * The subnet administrator (IBA 15.2). It also takes the other datagrams that are for the subnet
 * manager: SMInfo and traps (IBA 14.4.1, 15.4).
 */
final class Administrator implements MadConsumer {
  private static final int LINK_STATE = 128; // trap number, of a switch (IBA 14.2.5.1)

  private final Subnet subnet;
  private final Groups groups;
  private final ServiceRecords services = new ServiceRecords();
  private final Subscriptions subscriptions;
  private final BuiltinSm manager;
  private final Records records;
  private final PathRecords paths;
  private final TableSender sender;
  private final Negotiation negotiation;

  Administrator(Subnet subnet, BuiltinSm manager, Negotiation negotiation) {
    this.negotiation = negotiation;
    this.manager = manager;
    this.subnet = subnet;
    this.subscriptions = new Subscriptions(subnet, manager);
    this.groups = new Groups(manager, subscriptions);
    this.records = new Records(subnet, manager, negotiation);
    this.paths = new PathRecords(manager, groups);
    this.sender = new TableSender(subnet);
  }

  // ---- for the manager ----

  /** Requests all clients to register again, because this manager is the master again. */
  void onMasterAgain() {
    groups.forgetMembers();
    subscriptions.clear();
    services.clear();
  }

  /** Reports the ports that a sweep has found or lost. */
  void onSweep() {
    negotiation.acts();
    subscriptions.ports(manager.endpoints());
  }

  /** Reports a port that has come into service, or has gone out of service. */
  void onSweep(NodePort port) {
    negotiation.acts();
    subscriptions.port(port);
  }

  /** {@return the multicast LIDs of all groups} */
  Set<Integer> mlids() {
    return groups.mlids(null);
  }

  /** {@return the multicast LIDs of the groups that a port is a member of} */
  Set<Integer> groupsOf(NodePort port) {
    return groups.mlids(port);
  }

  /** {@return the members that receive, or the members that only send} */
  Set<NodePort> members(int mlid, boolean receive) {
    return groups.members(mlid, receive);
  }

  void forget(NodePort port) {
    groups.forget(port);
    subscriptions.forget(port);
  }

  long dueNs() {
    return Math.min(services.dueNs(), sender.dueNs());
  }

  void tick() {
    services.tick();
    sender.tick();
  }

  // ---- datagrams ----

  @Override
  public boolean take(NodePort at, Datagram d) {
    return switch (Smp.MGMT_CLASS.in(d.mad)) {
      case MgmtClass.SUBN_ADM -> negotiation.masters() && administer(at, d);
      case Smp.CLASS_LID, Smp.CLASS_DIRECTED -> manage(at, d);
      default -> false;
    };
  }

  private boolean manage(NodePort at, Datagram d) {
    if (Smp.ATTRIBUTE_ID.in(d.mad) == SmpAttribute.SM_INFO.id()) {
      return negotiation.take(at, d);
    }
    if (Smp.METHOD.in(d.mad)
        == MadMethod.TRAP) { // also the trap of a handover: its sender waits for the repress
      MemorySegment repress = MemorySegment.ofArray(new byte[256]).copyFrom(d.mad);
      Smp.METHOD.set(repress, MadMethod.TRAP_REPRESS);
      subnet.send(at, d.reply(repress)); // IBA 13.4.9
      if (negotiation.masters()) {
        MemorySegment notice = Smp.data(d.mad);
        if (NoticeLayout.GENERIC.in(notice) == 1
            && NoticeLayout.TRAP_NUMBER.in(notice) == LINK_STATE) {
          manager.changed(NoticeLayout.DETAILS_LID.in(notice));
        }
        subscriptions.trap(Smp.data(d.mad));
      }
      return true;
    }
    return false;
  }

  private boolean administer(NodePort at, Datagram d) {
    Mad asked = Mad.of(d.mad);
    int method = asked.header().method();
    long key = asked.sa().smKey();
    if (key != 0 && key != subnet.fabric().smKey()) {
      return true; // IBA 15.2.4: a response would help to guess the SM_Key
    }
    if (sender.take(d)) {
      return true; // an acknowledgement of a table that this administrator sends
    }
    if (asked.header().response()) {
      return subscriptions.answered(asked.header().transactionId());
    }
    if (method == MadMethod.REPORT) {
      return false;
    }
    long mask = asked.sa().componentMask();
    switch (method) {
      case MadMethod.GET_TABLE -> many(at, d, asked, mask);
      case MadMethod.GET, MadMethod.SET, MadMethod.DELETE -> one(at, d, asked, mask, method);
      default -> refuse(at, d, asked, SaStatus.BAD_METHOD);
    }
    return true;
  }

  private void one(NodePort at, Datagram d, Mad asked, long mask, int method) {
    int attribute = asked.header().attributeId();
    try {
      SaRecord<?, ?> answer =
          switch (attribute) {
            case McMemberRecord.ATTRIBUTE_ID -> {
              McMemberRecord query = read(new McMemberRecord(), asked, mask);
              yield switch (method) {
                case MadMethod.SET -> groups.join(query);
                case MadMethod.DELETE -> groups.leave(query);
                default -> only(groups.find(query));
              };
            }
            case ServiceRecord.ATTRIBUTE_ID -> {
              ServiceRecord query = read(new ServiceRecord(), asked, mask);
              yield switch (method) {
                case MadMethod.SET -> services.set(query);
                case MadMethod.DELETE -> services.delete(query);
                default -> only(services.find(query));
              };
            }
            case InformInfo.ATTRIBUTE_ID -> {
              if (method != MadMethod.SET) {
                throw new Refusal(SaStatus.BAD_METHOD_ATTRIBUTE);
              }
              yield subscriptions.set(read(new InformInfo(), asked, mask), d);
            }
            case PathRecord.ATTRIBUTE_ID -> {
              List<PathRecord> found = paths.find(read(new PathRecord(), asked, mask));
              yield found.isEmpty() ? only(found) : found.getFirst();
            }
            default -> only(table(asked, mask));
          };
      boolean read = method == MadMethod.GET;
      if (!read
          && attribute != McMemberRecord.ATTRIBUTE_ID
          && attribute != ServiceRecord.ATTRIBUTE_ID
          && attribute != InformInfo.ATTRIBUTE_ID) {
        throw new Refusal(SaStatus.BAD_METHOD_ATTRIBUTE);
      }
      Mad reply = asked.response(0);
      reply.sa().attributeOffset(answer.attributeOffset());
      answer.write(reply.bytes(), reply.dataOffset());
      subnet.send(at, d.reply(reply.bytes()));
    } catch (Refusal e) {
      refuse(at, d, asked, e.status);
    }
  }

  private void many(NodePort at, Datagram d, Mad asked, long mask) {
    try {
      sender.send(at, d, table(asked, mask));
    } catch (Refusal e) {
      refuse(at, d, asked, e.status);
    }
  }

  private void refuse(NodePort at, Datagram d, Mad asked, SaStatus status) {
    subnet.send(at, d.reply(asked.response(status.value()).bytes()));
  }

  private static SaRecord<?, ?> only(List<? extends SaRecord<?, ?>> found) {
    if (found.size() != 1) {
      throw new Refusal(found.isEmpty() ? SaStatus.NO_RECORDS : SaStatus.TOO_MANY_RECORDS);
    }
    return found.getFirst();
  }

  private List<? extends SaRecord<?, ?>> table(Mad asked, long mask) {
    return switch (asked.header().attributeId()) {
      case McMemberRecord.ATTRIBUTE_ID -> groups.find(read(new McMemberRecord(), asked, mask));
      case ServiceRecord.ATTRIBUTE_ID -> services.find(read(new ServiceRecord(), asked, mask));
      case PathRecord.ATTRIBUTE_ID -> paths.find(read(new PathRecord(), asked, mask));
      case InformInfoRecord.ATTRIBUTE_ID ->
          Records.matching(subscriptions.records(), read(new InformInfoRecord(), asked, mask));
      default -> records.find(asked, mask);
    };
  }

  static <R extends SaRecord<R, ?>> R read(R record, Mad asked, long mask) {
    return record.read(asked.bytes(), asked.dataOffset()).componentMask(mask);
  }
}
