package ib.ulp.ipoib.roce;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.Groups;

/** The IP group that carries the groups of a partition: 239.27. and the P_Key. */
public final class RoceGroups {
  private static final int FIRST = 239 << 24 | 27 << 16;

  private RoceGroups() {}

  /** {@return what goes over the wire for a group: as a GID, ::ffff:239.27.x.y} */
  public static Gid of(Gid group) {
    int ip = FIRST | Groups.pkey(group);
    return new Gid(0, 0xffffL << 32 | ip & 0xffff_ffffL);
  }
}
