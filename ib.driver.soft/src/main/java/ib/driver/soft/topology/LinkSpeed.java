package ib.driver.soft.topology;

import org.jspecify.annotations.Nullable;

/** Speeds of a lane as PortInfo codes them and as {@code ibnetdiscover} prints them. */
public enum LinkSpeed {
  /** 2.5 Gbit/s. */
  SDR(1, 0),
  /** 5 Gbit/s. */
  DDR(2, 0),
  /** 10 Gbit/s. */
  QDR(4, 0),
  /** 14.0625 Gbit/s. */
  FDR(4, 1),
  /** 25.78125 Gbit/s. */
  EDR(4, 2),
  /** 53.125 Gbit/s. */
  HDR(4, 4),
  /** 106.25 Gbit/s. */
  NDR(4, 8);

  private final int classic;
  private final int extended;

  LinkSpeed(int classic, int extended) {
    this.classic = classic;
    this.extended = extended;
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
