package ib.tools.diags;

import ib.core.verbs.PortAttr;

/**
 * Width and speed of a link (IBA PortInfo LinkWidthActive, LinkSpeedActive and LinkSpeedExtActive;
 * numbers of {@code ib_port_width} and {@code ib_port_speed}).
 *
 * @param lanes 1, 2, 4, 8 or 12
 * @param name name of the speed, for example {@code QDR}
 * @param tenths signalling rate of one link lane in tenths of Gb/s
 */
public record LinkRate(int lanes, String name, int tenths) {

  /**
   * Returns the rate of a port.
   *
   * @param attr attributes of the port
   * @return width and speed
   */
  public static LinkRate of(PortAttr attr) {
    int lanes =
        switch (attr.activeWidth()) {
          case 2 -> 4;
          case 4 -> 8;
          case 8 -> 12;
          case 16 -> 2;
          default -> 1;
        };
    return switch (attr.activeSpeed()) {
      case 2 -> new LinkRate(lanes, "DDR", 50);
      case 4 -> new LinkRate(lanes, "QDR", 100);
      case 8 -> new LinkRate(lanes, "FDR10", 100);
      case 16 -> new LinkRate(lanes, "FDR", 140);
      case 32 -> new LinkRate(lanes, "EDR", 250);
      case 64 -> new LinkRate(lanes, "HDR", 500);
      case 128 -> new LinkRate(lanes, "NDR", 1000);
      case 256 -> new LinkRate(lanes, "XDR", 2000);
      default -> new LinkRate(lanes, "SDR", 25);
    };
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
