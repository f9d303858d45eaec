package ib.ulp.ipoib.wire;

import ib.core.verbs.Gid;

/** Multicast GIDs of IP groups (RFC 4391 section 4). */
public final class Groups {
  /** Scope of one InfiniBand subnet. */
  public static final int LINK_LOCAL = 2;

  private static final int SIGNATURE_V4 = 0x401b;
  private static final int SIGNATURE_V6 = 0x601b;
  private static final int FULL_MEMBER = 0x8000;

  private Groups() {}

  /**
   * {@return the broadcast group of a partition} All members join it, limited ones too, under the
   * P_Key with the membership bit (W7).
   */
  public static Gid broadcast(int pkey, int scope) {
    return new Gid(high(SIGNATURE_V4, pkey, scope), 0xffff_ffffL);
  }

  /** {@return the MGID of an IP group address on the link of a broadcast group (W8, W9, W10)} */
  public static Gid of(Ip group, Gid broadcast) {
    int pkey = pkey(broadcast);
    int scope = scope(broadcast);
    if (group.isV4()) {
      return new Gid(high(SIGNATURE_V4, pkey, scope), group.v4() & 0x0fff_ffff);
    }
    return new Gid(high(SIGNATURE_V6, pkey, scope) | group.high() & 0xffff, group.low());
  }

  /**
   * {@return the MGID of all routers of the same IP version on the same link: 224.0.0.2 or ff02::2}
   */
  public static Gid allRouters(Gid group) {
    boolean four = (group.high() >>> 32 & 0xffff) == SIGNATURE_V4;
    return new Gid(four ? group.high() : group.high() & ~0xffffL, 2);
  }

  /** {@return whether a group belongs to the link of a broadcast group (W10)} */
  public static boolean onLink(Gid group, Gid broadcast) {
    int pkey = pkey(broadcast);
    int scope = scope(broadcast);
    long head = group.high() & ~0xffffL;
    return group.high() == high(SIGNATURE_V4, pkey, scope) && group.low() >>> 32 == 0
        || head == high(SIGNATURE_V6, pkey, scope);
  }

  public static int pkey(Gid group) {
    return (int) (group.high() >>> 16) & 0xffff;
  }

  private static int scope(Gid group) {
    return (int) (group.high() >>> 48) & 0xf;
  }

  /** {@return the high half of an MGID: ff, transient flag, scope, signature, P_Key} */
  private static long high(int signature, int pkey, int scope) {
    return (0xff10L | scope) << 48
        | (long) signature << 32
        | (long) ((pkey | FULL_MEMBER) & 0xffff) << 16;
  }
}
