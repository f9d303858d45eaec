package ib.ulp.ipoib.roce;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.Groups;

/**
 * Maps the groups of a partition to the one IP group that carries them: 239.27.x.y, where x.y is
 * the P_Key.
 */
public final class RoceGroups {
  private static final int FIRST = 239 << 24 | 27 << 16;

  private RoceGroups() {}

  /** {@return the GID that carries a group on the wire, ::ffff:239.27.x.y} */
  public static Gid of(Gid group) {
    int ip = FIRST | Groups.pkey(group);
    return new Gid(0, 0xffffL << 32 | ip & 0xffff_ffffL);
  }
}
