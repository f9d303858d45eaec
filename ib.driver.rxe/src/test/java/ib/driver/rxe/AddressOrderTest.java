package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B8: the IPv4 addresses of an interface have their GIDs in Linux's order")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AddressOrderTest {
  @Test
  @DisplayName("four addresses of an interface, two networks")
  void order() throws Exception {
    Namespaces two = new Namespaces(1500);
    try {
      for (String address : List.of("10.77.0.9/24", "10.77.0.5/24", "10.78.0.1/24")) {
        Namespaces.ip("-n", two.left, "addr", "add", address, "dev", Namespaces.DEVICE);
      }
      try (Party one = new RemoteStation(Namespaces.in(two.left))) {
        one.tell("plug", "interface=" + Namespaces.DEVICE);
        // those of one network behind the first of each network, as "ip addr" lists them
        assertEquals(
            List.of("10.77.0.1", "10.78.0.1", "10.77.0.9", "10.77.0.5"),
            IntStream.range(1, 5).mapToObj(i -> ipv4(one.tell("gid", "" + i))).toList());
      }
    } finally {
      two.remove();
    }
  }

  private static String ipv4(String gid) {
    return gid.substring(gid.lastIndexOf(':') + 1);
  }
}
