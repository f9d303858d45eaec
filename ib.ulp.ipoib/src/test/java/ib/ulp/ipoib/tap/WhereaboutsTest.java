package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.testing.Namespaces;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 11, section 2: a socket in the network namespace of a device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WhereaboutsTest {
  private static final int NO_FAMILY = 99;
  private static final int EAFNOSUPPORT = 97;
  private static final int EBADF = 9;

  private static SystemCallException refused(TapDevice device) {
    Libc libc = device.libc;
    return assertThrows(
        SystemCallException.class,
        () -> Whereabouts.socket(device, () -> libc.socket(NO_FAMILY, 2, 0)));
  }

  @Test
  @DisplayName("the kernel refuses the socket: here and in another namespace the errno is kept")
  void errno() throws IOException {
    Namespaces.require("ip");
    String name = "ibw" + ProcessHandle.current().pid();
    try (Namespaces namespaces = new Namespaces();
        TapDevice device = TapDevice.tap(name, 1)) {
      SystemCallException here = refused(device);
      assertEquals(EAFNOSUPPORT, here.errno);
      assertTrue(here.getMessage().startsWith("socket: Address family not"), here.getMessage());
      namespaces.move(name, namespaces.add());
      SystemCallException there = refused(device);
      assertEquals(EAFNOSUPPORT, there.errno);
      String text = "socket in the network namespace of " + name + ": Address family not";
      assertTrue(there.getMessage().startsWith(text), there.getMessage());
      int socket = Whereabouts.socket(device, device.libc::datagramSocket);
      assertEquals(0, device.libc.close(socket));
      assertTrue(device.libc.close(socket) < 0);
      assertEquals(EBADF, device.libc.failure("close").errno);
    }
  }
}
