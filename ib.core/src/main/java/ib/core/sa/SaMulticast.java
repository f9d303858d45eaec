package ib.core.sa;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Gid;
import java.util.concurrent.CompletableFuture;

/**
 * The multicast groups of a port (kernel: ib_sa_join_multicast; M10). The port is one member of a
 * group, however many join here: memberships are counted per (port, MGID, join state), the first
 * joins, the last leaves, and joins and leaves of one group never overtake each other (I8).
 *
 * <p>Memberships heal themselves: when an event says that the subnet manager may have forgotten
 * them (CLIENT_REREGISTER, LID_CHANGE, PKEY_CHANGE, SM_CHANGE, PORT_ERR) they are lost ({@link
 * SaMembership.State#LOST}) and joined again, after 50 ms, then with doubled distances up to 1 s,
 * for as long as the reason is a passing one: no answer, busy, no subnet manager (I5). While the
 * port is not active nothing is sent.
 */
public interface SaMulticast {
  /**
   * Joins a group.
   *
   * @param request MGID, JOIN_STATE and whatever else counts; PORT_GID is filled in. To create a
   *     group the components of IBA 15.2.5.17.2 must count
   * @param listener hears what becomes of it
   * @return the membership, {@link SaMembership.State#JOINING}; the caller closes it
   */
  @AnyContext
  SaMembership join(McMemberRecord request, SaMembership.Listener listener);

  /**
   * Joins a group that is like another one of the port, as IPoIB's groups are like its broadcast
   * group (RFC 4391 section 5). While the port has not joined that one, this join waits. Each join,
   * also a later one with another subnet manager, has the Q_Key, traffic class, SL, flow label, hop
   * limit, MTU and rate that the other group has then.
   *
   * @param request as in {@link #join(McMemberRecord, SaMembership.Listener)}, without those
   * @param like MGID of the other group, of which this port is a member, or will be
   * @param listener hears what becomes of it
   * @return the membership
   */
  @AnyContext
  default SaMembership join(McMemberRecord request, Gid like, SaMembership.Listener listener) {
    return join(request, listener);
  }

  /**
   * Returns whether another {@link SaClient} of this port, of any client, has joined the group or
   * is joining it (kernel: ib_sa_get_mcmember_rec). The core answers without a request to the
   * subnet; the answer may be outdated when it arrives.
   *
   * @param mgid the group
   * @return whether another SaClient shares the membership; fails with {@link
   *     ib.core.verbs.IbDisassociatedException} when this was closed. On RoCE, where memberships
   *     are not counted, false
   */
  @AnyContext
  CompletableFuture<Boolean> joinedByOthers(Gid mgid);
}
