package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortAttr;
import ib.core.verbs.Rate;

/**
 * Checks whether the broadcast group suits the port. A wrongly configured subnet manager creates
 * groups whose long packets are lost without an error.
 */
final class LinkCheck {
  private LinkCheck() {}

  /** {@return what is wrong, in words; empty if nothing is} */
  static String warning(McMemberRecord group, PortAttr port) {
    int bytes = Mtu.of(group.value(Field.MTU)).bytes();
    int most = port.activeMtu().bytes();
    long rate = Rate.bitsPerSecond(group.value(Field.RATE));
    long speed = port.bitsPerSecond();
    if (bytes > most) {
      return "the broadcast group has an MTU of "
          + bytes
          + " but the port of "
          + most
          + ": longer packets of others will be lost";
    }
    if (rate > speed && speed > 0) {
      return "the broadcast group has a rate of "
          + rate / 1_000_000
          + " Mb/s but the port of "
          + speed / 1_000_000
          + " Mb/s: packets may be lost";
    }
    return "";
  }
}
