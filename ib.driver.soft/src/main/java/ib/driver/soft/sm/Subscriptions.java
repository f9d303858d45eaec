package ib.driver.soft.sm;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.sa.InformInfo;
import ib.core.sa.InformInfo.Field;
import ib.core.sa.InformInfoRecord;
import ib.core.sa.Notice;
import ib.core.sa.SaStatus;
import ib.core.verbs.Gid;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The event subscriptions of ports, and the reports to the subscribers (IBA 13.4.11, 15.4.7). */
final class Subscriptions {
  /** The greatest number of subscribers; the limit is needed because any stranger may subscribe. */
  private static final int MAX_SUBSCRIBERS = 4096;

  private static final long TAG = 0xE000L << 48;
  private static final int CLASS_VERSION = 2;
  private static final int ANY_16 = 0xffff;
  private static final int ANY_24 = 0xffffff;
  private static final int INFORMATIONAL = 4;
  private static final int CLASS_MANAGER = 4;

  private record Subscriber(int lid, int qpn, int sl, InformInfo wants) {}

  private final Subnet subnet;
  private final BuiltinSm manager;
  private final List<Subscriber> subscribers = new ArrayList<>();
  private final Map<NodePort, Gid> inService = new HashMap<>();
  private long reports;

  Subscriptions(Subnet subnet, BuiltinSm manager) {
    this.subnet = subnet;
    this.manager = manager;
  }

  void clear() {
    subscribers.clear();
  }

  InformInfo set(InformInfo asked, Datagram d) {
    if (asked.value(Field.SUBSCRIBE) > 1) {
      throw new Refusal(SaStatus.REQUEST_INVALID);
    }
    boolean subscribes = asked.value(Field.SUBSCRIBE) == 1;
    int before = subscribers.size();
    subscribers.removeIf(s -> s.lid == d.slid && s.qpn == d.sourceQpn && alike(s.wants, asked));
    if (subscribes && subscribers.size() >= MAX_SUBSCRIBERS) {
      throw new Refusal(SaStatus.NO_RESOURCES);
    } else if (subscribes) {
      subscribers.add(new Subscriber(d.slid, d.sourceQpn, d.sl, asked));
    } else if (subscribers.size() == before) {
      throw new Refusal(SaStatus.REQUEST_INVALID);
    }
    return asked;
  }

  /** {@return all subscriptions, numbered for each port} */
  List<InformInfoRecord> records() {
    List<InformInfoRecord> all = new ArrayList<>();
    Map<NodePort, Integer> count = new HashMap<>();
    for (NodePort port : manager.endpoints()) {
      for (Subscriber s : subscribers) {
        if (port.has(s.lid)) {
          MemorySegment info = MemorySegment.ofArray(new byte[s.wants.size()]);
          s.wants.write(info, 0);
          all.add(
              new InformInfoRecord()
                  .set(InformInfoRecord.Field.SUBSCRIBER_GID, PathRecords.gid(port))
                  .set(
                      InformInfoRecord.Field.SUBSCRIBER_ENUM,
                      count.merge(port, 1, Integer::sum) - 1)
                  .set(InformInfoRecord.Field.INFORM_INFO, info.toArray(ValueLayout.JAVA_BYTE)));
        }
      }
    }
    return all;
  }

  private static boolean alike(InformInfo a, InformInfo b) {
    return a.value(Field.TRAP_NUMBER) == b.value(Field.TRAP_NUMBER)
        && a.value(Field.TYPE) == b.value(Field.TYPE)
        && a.value(Field.IS_GENERIC) == b.value(Field.IS_GENERIC);
  }

  /** Reports the ports that have come into service, or gone out of it, since the last call. */
  void ports(List<NodePort> endpoints) {
    endpoints.forEach(this::port);
    List.copyOf(inService.keySet()).forEach(this::port);
  }

  /** Reports that one port has come into service, or has gone out of service. */
  void port(NodePort port) {
    boolean active = port.state() == PortState.ACTIVE;
    if (active && !inService.containsKey(port)) {
      inService.put(port, PathRecords.gid(port));
      report(Notice.TRAP_GID_IN_SERVICE, PathRecords.gid(port));
    } else if (!active && inService.containsKey(port)) {
      forget(port);
    }
  }

  void forget(NodePort port) {
    Gid gid = inService.remove(port);
    subscribers.removeIf(s -> port.has(s.lid) && port.state() != PortState.ACTIVE);
    if (gid != null) {
      report(Notice.TRAP_GID_OUT_OF_SERVICE, gid);
    }
  }

  void group(int trap, Gid mgid) {
    report(trap, mgid);
  }

  private void report(int trap, Gid about) {
    Notice notice =
        new Notice()
            .set(Notice.Field.IS_GENERIC, 1)
            .set(Notice.Field.TYPE, INFORMATIONAL)
            .set(Notice.Field.PRODUCER_TYPE, CLASS_MANAGER)
            .set(Notice.Field.TRAP_NUMBER, trap)
            .detailsGid(about);
    tell(notice);
  }

  /** Reports a node's trap to the subscribers. */
  void trap(MemorySegment data) {
    MemorySegment whole = MemorySegment.ofArray(new byte[Notice.TRAP_BYTES + 16]);
    whole.asSlice(0, Notice.TRAP_BYTES).copyFrom(data.asSlice(0, Notice.TRAP_BYTES));
    tell(new Notice().read(whole, 0));
  }

  private void tell(Notice notice) {
    NodePort seat = manager.seat();
    if (seat == null) {
      return;
    }
    notice.set(Notice.Field.ISSUER_GID, PathRecords.gid(seat));
    if (notice.value(Notice.Field.ISSUER_LID) == 0) {
      notice.set(Notice.Field.ISSUER_LID, seat.lid());
    }
    for (Subscriber s : subscribers) {
      if (wants(s.wants, notice)) {
        Mad mad =
            Mad.request(
                MgmtClass.SUBN_ADM, CLASS_VERSION, MadMethod.REPORT, Notice.ATTRIBUTE_ID, 0);
        mad.header().transactionId(TAG | ++reports);
        notice.write(mad.bytes(), mad.dataOffset());
        Datagram d = new Datagram(mad.bytes());
        d.slid = seat.lid();
        d.dlid = s.lid;
        d.sourceQpn = 1;
        d.destQpn = s.qpn;
        d.sl = s.sl;
        subnet.send(seat, d);
      }
    }
  }

  private static boolean wants(InformInfo i, Notice n) {
    int trap = i.value(Field.TRAP_NUMBER);
    int type = i.value(Field.TYPE);
    int producer = i.value(Field.PRODUCER_TYPE);
    return (trap == ANY_16 || trap == n.value(Notice.Field.TRAP_NUMBER))
        && (type == ANY_16 || type == n.value(Notice.Field.TYPE))
        && (producer == ANY_24 || producer == n.value(Notice.Field.PRODUCER_TYPE));
  }

  /** {@return whether a response answers a report} */
  boolean answered(long tid) {
    return (tid & 0xffffL << 48) == TAG;
  }
}
