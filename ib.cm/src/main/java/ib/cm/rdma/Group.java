package ib.cm.rdma;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaMembership;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WellKnown;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The multicast group that the queue pair of a connection is part of (RD-13). On RoCE the group's
 * address is its GID, and the driver tells the network; in a subnet the port joins at the subnet
 * administrator, and joins again when that has forgotten it.
 */
final class Group implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Group.class);
  private static final int SIGNATURE_IPV4 = 0x4001; // IPoIB's are 401B and 601B
  private static final int SIGNATURE_IPV6 = 0x6001;
  private static final int LINK_LOCAL = 2;
  private static final int FULL_MEMBER = 0x8000;
  private static final int IPV4_BYTES = 4;
  private static final int NOWHERE = -1;

  private final QueuePair qp;
  private final Gid mgid;
  private final Consumer<RdmaDestination> joined;

  // guarded by this
  private int attachedTo = NOWHERE;
  private boolean closed;
  private @Nullable SaMembership membership;

  private Group(QueuePair qp, Gid mgid, Consumer<RdmaDestination> joined) {
    this.qp = qp;
    this.mgid = mgid;
    this.joined = joined;
  }

  /**
   * Joins.
   *
   * @param route the port, and the way to the group as far as the address says it
   * @param joined hears where the group's datagrams go, again when that changes
   * @param refused hears that the port may not join
   * @throws IbException when the queue pair cannot receive the group's datagrams
   */
  static Group join(
      Routes.Route route,
      QueuePair qp,
      Consumer<RdmaDestination> joined,
      Consumer<IbException> refused) {
    Site site = route.site();
    Group made = new Group(qp, route.path().remote(), joined);
    if (site.sa() == null) {
      made.attach(0, route.path().way());
    } else {
      McMemberRecord wanted =
          new McMemberRecord()
              .set(Field.MGID, made.mgid)
              .set(Field.JOIN_STATE, McMemberRecord.FULL_MEMBER)
              .set(Field.QKEY, PortSpace.DATAGRAM_QKEY)
              .set(Field.PKEY, route.path().pkey() | FULL_MEMBER)
              .set(Field.TCLASS, 0)
              .set(Field.FLOW_LABEL, 0)
              .set(Field.SL, 0);
      SaMembership member =
          site.sa()
              .multicast()
              .join(wanted, (m, is, why) -> made.changed(site, m, is, why, refused));
      synchronized (made) {
        made.membership = member;
      }
    }
    return made;
  }

  /** {@return the GID of a group's address in the subnet of a partition} */
  static Gid inSubnet(InetAddress group, Gid asIs, int pkey) {
    boolean four = group.getAddress().length == IPV4_BYTES;
    long signature = four ? SIGNATURE_IPV4 : SIGNATURE_IPV6;
    long head = (0xff10L | LINK_LOCAL) << 48 | signature << 32 | (long) (pkey | FULL_MEMBER) << 16;
    return four
        ? new Gid(head, asIs.low() & 0x0fff_ffffL)
        : new Gid(head | asIs.high() & 0xffff, asIs.low());
  }

  private void changed(
      Site site,
      SaMembership member,
      SaMembership.State state,
      @Nullable IbException why,
      Consumer<IbException> refused) {
    if (state == SaMembership.State.MEMBER) {
      McMemberRecord is = member.record();
      try {
        attach(is.value(Field.MLID), is.ahAttr(site.port(), 0));
      } catch (IbException e) {
        refused.accept(e);
      }
    } else if (state == SaMembership.State.REFUSED && why != null) {
      refused.accept(why);
    }
  }

  private void attach(int mlid, AhAttr way) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (attachedTo != mlid) {
        detach();
        qp.attachMulticast(mgid, mlid);
        attachedTo = mlid;
      }
    }
    joined.accept(new RdmaDestination(way, WellKnown.QPN_MULTICAST, PortSpace.DATAGRAM_QKEY));
  }

  private void detach() {
    try {
      if (attachedTo != NOWHERE) {
        qp.detachMulticast(mgid, attachedTo);
      }
    } catch (IbDisassociatedException e) { // the device goes, and its groups with it
      LOG.debug("{} has left {} already", qp, mgid, e);
    }
    attachedTo = NOWHERE;
  }

  /** Leaves the group; does not wait for the subnet administrator. */
  @Override
  public void close() {
    SaMembership member;
    synchronized (this) {
      closed = true;
      member = membership;
      detach();
    }
    if (member != null) {
      member.close();
    }
  }
}
