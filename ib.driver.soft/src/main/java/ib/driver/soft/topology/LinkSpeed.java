package ib.driver.soft.topology;

import ib.core.mad.smp.PortInfo;
import ib.core.verbs.Rate;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The speeds of a link lane, as PortInfo codes them and as {@code ibnetdiscover} prints them. */
public enum LinkSpeed {
  /** 2.5 Gbit/s. */
  SDR(1, 0, 1),
  /** 5 Gbit/s. */
  DDR(2, 0, 2),
  /** 10 Gbit/s. */
  QDR(4, 0, 4),
  /** 14.0625 Gbit/s. */
  FDR(4, 1, 16),
  /** 25.78125 Gbit/s. */
  EDR(4, 2, 32),
  /** 53.125 Gbit/s. */
  HDR(4, 4, 64),
  /** 106.25 Gbit/s. */
  NDR(4, 8, 128),
  /** 212.5 Gbit/s. */
  XDR(4, 32, 256);

  private static final int SECOND = 5; // bits of LinkSpeedExtEnabled, before those of the second

  /** LinkSpeedActive. */
  final int classic;

  /** The extended speed as {@link PortInfo#extendedSpeed} has it, 0 for none. */
  final int extended;

  /** The code of {@code ibv_port_attr.active_speed}. */
  final int verbs;

  LinkSpeed(int classic, int extended, int verbs) {
    this.classic = classic;
    this.extended = extended;
    this.verbs = verbs;
  }

  /**
   * Returns the rate of a link.
   *
   * @param info PortInfo of one end
   * @return code of {@code ibv_rate}
   */
  public static int rate(MemorySegment info) {
    for (LinkSpeed s : values()) {
      if (s.extended == PortInfo.extendedSpeed(info)
          && s.classic == PortInfo.LINK_SPEED_ACTIVE.in(info)) {
        return Rate.of(Rate.lanes(PortInfo.LINK_WIDTH_ACTIVE.in(info)) * Rate.ofLane(s.verbs));
      }
    }
    return Rate.of(Rate.ofLane(SDR.verbs));
  }

  /** {@return LinkSpeedEnabled of a port that has enabled this speed and all slower ones} */
  public int upTo() {
    return 2 * classic - 1;
  }

  /** {@return the extended speeds of a port that has enabled this speed and all slower ones} */
  public int upToExtended() {
    return extended == 0 ? 0 : 2 * extended - 1;
  }

  /** {@return extended speeds of two fields of PortInfo as one mask} */
  static int extended(int first, int second) {
    return first | second << SECOND;
  }

  /** {@return the part of a mask of extended speeds for the first field of PortInfo} */
  static int first(int extended) {
    return extended & 0xf;
  }

  /** {@return the part of a mask of extended speeds for the second field of PortInfo} */
  static int second(int extended) {
    return extended >> SECOND;
  }

  /**
   * Returns the speed to which two ports train: the fastest that both have enabled (IBA 14.2.5.6),
   * 2.5 Gbit/s when they share no other speed.
   *
   * @param classic LinkSpeedEnabled of both
   * @param extended extended speeds that both have enabled
   * @return the speed
   */
  public static LinkSpeed fastest(int classic, int extended) {
    LinkSpeed found = SDR;
    for (LinkSpeed s : values()) {
      if (s.extended == 0 ? (s.classic & classic) != 0 : (s.extended & extended) != 0) {
        found = s;
      }
    }
    return found;
  }

  /**
   * Returns the speed of a name.
   *
   * @param text the name, for example EDR; FDR10, which one vendor has, counts as QDR
   * @return the speed, or null for an unknown name
   */
  public static @Nullable LinkSpeed named(String text) {
    if (text.equals("FDR10")) {
      return QDR;
    }
    for (LinkSpeed s : values()) {
      if (s.name().equals(text)) {
        return s;
      }
    }
    return null;
  }
}
