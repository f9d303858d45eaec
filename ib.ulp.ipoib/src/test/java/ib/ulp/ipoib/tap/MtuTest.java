package ib.ulp.ipoib.tap;

import ib.core.verbs.Mtu;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B2: the kernel's MTU follows the link, wherever the device was moved (needs root)")
@Timeout(600)
class MtuTest extends TwoKernels {
  MtuTest() {
    super(name -> TapBackend.tun(name, 0, 1));
  }

  private void mtu(String namespace, String device, int bytes) {
    Lab.await(
        () -> namespaces.in(namespace, "ip", "-o", "link", "show", device).contains("mtu " + bytes),
        device + " in its namespace has an MTU of " + bytes);
  }

  @Test
  @DisplayName("TUN and TAP: 65520 and 2044 again as the mode changes, also under another name")
  void mode() {
    namespaces.in(right, "ip", "link", "set", devB, "down");
    namespaces.in(right, "ip", "link", "set", devB, "name", "other");
    namespaces.in(right, "ip", "link", "set", "other", "up");
    for (boolean connected : new boolean[] {true, false}) {
      int bytes = connected ? 65_520 : 2044;
      lab.device("ib0").connected(connected);
      lab.device("ib1").connected(connected);
      mtu(left, devA, bytes);
      mtu(right, "other", bytes);
    }
    namespaces.in(right, "ip", "link", "set", "other", "down");
    namespaces.in(right, "ip", "link", "set", "other", "name", devB);
  }

  @Test
  @DisplayName("a device that is moved before its join ends still gets the MTU of the group")
  void early() {
    lab.subnet.mtu = Mtu.MTU_4096;
    lab.subnet.hold();
    lab.plug();
    String dev = devA.replace("ib0", "ib2");
    Lab.await(() -> Namespaces.run("ip", "-o", "link").contains(dev + ":"), "the device");
    namespaces.move(dev, left, "10.99.0.1/24");
    lab.subnet.release();
    mtu(left, dev, 4092);
  }
}
