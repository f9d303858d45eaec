package ib.tools.diags;

import ib.core.verbs.PortAttr;
import ib.core.verbs.Rate;

/**
 * Width and speed of a link (IBA PortInfo LinkWidthActive, LinkSpeedActive and LinkSpeedExtActive;
 * numbers of {@code ib_port_width} and {@code ib_port_speed}).
 *
 * @param lanes 1, 2, 4, 8 or 12
 * @param name name of the speed, for example {@code QDR}
 * @param tenths signalling rate of one link lane in tenths of Gb/s
 */
public record LinkRate(int lanes, String name, int tenths) {
  private static final long TENTH_OF_A_GIGABIT = 100_000_000;

  /**
   * Returns the rate of a port.
   *
   * @param attr attributes of the port
   * @return width and speed
   */
  public static LinkRate of(PortAttr attr) {
    String name =
        switch (attr.activeSpeed()) {
          case 2 -> "DDR";
          case 4 -> "QDR";
          case 8 -> "FDR10";
          case 16 -> "FDR";
          case 32 -> "EDR";
          case 64 -> "HDR";
          case 128 -> "NDR";
          case 256 -> "XDR";
          default -> "SDR";
        };
    long lane = Math.max(Rate.ofLane(attr.activeSpeed()), Rate.ofLane(1));
    return new LinkRate(
        Math.max(Rate.lanes(attr.activeWidth()), 1), name, (int) (lane / TENTH_OF_A_GIGABIT));
  }

  /** {@return the rate of all link lanes in whole Gb/s, as {@code ibstat} prints it} */
  public int wholeGbps() {
    return lanes * tenths / 10;
  }

  /** {@return for example {@code 2.5 Gb/sec (1X SDR)}, as sysfs has it} */
  public String text() {
    int rate = lanes * tenths;
    String fraction = rate % 10 == 0 ? "" : "." + rate % 10;
    return rate / 10 + fraction + " Gb/sec (" + lanes + "X " + name + ")";
  }
}
