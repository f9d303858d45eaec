package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The way to a peer (IBA verb Create Address Handle): what an address handle, or the address vector
 * of a connected QP, is made of.
 *
 * @param dlid destination LID, 16 bits; 0 on Ethernet
 * @param sl service level, 0 to 15
 * @param srcPathBits low bits of the source LID, 0 to 127
 * @param staticRate rate limit, code of {@code ibv_rate}, 0 to 255; 0 is the port's own rate
 * @param port number of the port to leave by, 1 to 255
 * @param grh global route; null if the packets stay in the subnet and carry none
 */
public record AhAttr(
    int dlid, int sl, int srcPathBits, int staticRate, int port, @Nullable GlobalRoute grh) {

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is out of its range
   */
  public AhAttr {
    Range.check("dlid", dlid, 0xFFFF);
    Range.check("sl", sl, 15);
    Range.check("srcPathBits", srcPathBits, 127);
    Range.check("staticRate", staticRate, 0xFF);
    Range.check("port", port, 0xFF);
  }

  /**
   * A way inside an InfiniBand subnet.
   *
   * @param port number of the port to leave by
   * @param dlid destination LID, 16 bits
   * @param sl service level, 0 to 15
   * @return the attributes, without global route
   * @throws IbInvalidException if a number is out of its range
   */
  public static AhAttr ofLid(int port, int dlid, int sl) {
    return new AhAttr(dlid, sl, 0, 0, port, null);
  }

  /**
   * A way through an InfiniBand subnet with a global route header: to a multicast group or a
   * router.
   *
   * @param port number of the port to leave by
   * @param dlid destination LID (of the group or the router), 16 bits
   * @param sl service level, 0 to 15
   * @param grh global route
   * @return the attributes
   * @throws IbInvalidException if a number is out of its range
   */
  public static AhAttr ofLid(int port, int dlid, int sl, GlobalRoute grh) {
    return new AhAttr(dlid, sl, 0, 0, port, grh);
  }

  /**
   * A way over Ethernet (RoCE), where the GID says it all.
   *
   * @param port number of the port to leave by
   * @param grh global route
   * @return the attributes, with LID and service level 0
   * @throws IbInvalidException if a number is out of its range
   */
  public static AhAttr ofGid(int port, GlobalRoute grh) {
    return new AhAttr(0, 0, 0, 0, port, grh);
  }

  /** {@return whether packets carry a global route header, {@code is_global} in C} */
  public boolean isGlobal() {
    return grh != null;
  }
}
