package ib.driver.soft.topology;

import ib.core.mad.smp.PortInfo;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Speeds of a lane as PortInfo codes them and as {@code ibnetdiscover} prints them. */
public enum LinkSpeed {
  /** 2.5 Gbit/s. */
  SDR(1, 0, 2, 3),
  /** 5 Gbit/s. */
  DDR(2, 0, 5, 6),
  /** 10 Gbit/s. */
  QDR(4, 0, 3, 7),
  /** 14.0625 Gbit/s. */
  FDR(4, 1, 11, 12),
  /** 25.78125 Gbit/s. */
  EDR(4, 2, 15, 16),
  /** 53.125 Gbit/s. */
  HDR(4, 4, 20, 17),
  /** 106.25 Gbit/s. */
  NDR(4, 8, 16, 21);

  private static final int WIDTH_4X = 2;

  private final int classic;
  private final int extended;
  private final int rate1x;
  private final int rate4x;

  LinkSpeed(int classic, int extended, int rate1x, int rate4x) {
    this.classic = classic;
    this.extended = extended;
    this.rate1x = rate1x;
    this.rate4x = rate4x;
  }

  /**
   * The rate of a link.
   *
   * @param info its PortInfo
   * @return code of {@code ibv_rate}; of a width other than 4X that of 1X
   */
  public static int rate(MemorySegment info) {
    for (LinkSpeed s : values()) {
      if (s.extended == PortInfo.LINK_SPEED_EXT_ACTIVE.in(info)
          && s.classic == PortInfo.LINK_SPEED_ACTIVE.in(info)) {
        return PortInfo.LINK_WIDTH_ACTIVE.in(info) == WIDTH_4X ? s.rate4x : s.rate1x;
      }
    }
    return SDR.rate1x;
  }

  /** {@return LinkSpeedActive} */
  public int classic() {
    return classic;
  }

  /** {@return LinkSpeedExtActive, 0 for none} */
  public int extended() {
    return extended;
  }

  /**
   * The speed of a text.
   *
   * @param text such as EDR
   * @return the speed, or null
   */
  public static @Nullable LinkSpeed named(String text) {
    for (LinkSpeed s : values()) {
      if (s.name().equals(text)) {
        return s;
      }
    }
    return null;
  }
}
