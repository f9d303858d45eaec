package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.driver.rxe.udp.UdpOptions;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("F25 all errors of a RoCEv2 device's configuration are reported at once")
final class RxeReaderTest {
  private static RxeConfig read(Object... keysAndValues) {
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return RxeReader.read("rxe0", map);
  }

  private static String refusal(Object... keysAndValues) {
    return assertThrows(IbInvalidException.class, () -> read(keysAndValues)).getMessage();
  }

  @Test
  @DisplayName("F25 an address is enough: all other keys have defaults")
  void defaults() {
    RxeConfig c = read("address", "10.0.0.1");
    assertEquals("rxe0", c.name());
    assertEquals(List.of(InetAddress.ofLiteral("10.0.0.1")), c.addresses());
    assertEquals(4791, c.udp().port());
    assertEquals(Mtu.MTU_4096, c.mtu());
    assertEquals(UdpOptions.Progress.POLL, c.udp().progress(), "as measured and published");
    assertEquals(List.of(0xffff), c.pkeys());
    assertFalse(c.guidGiven());
  }

  @Test
  @DisplayName(
      "U16 devices of one name have GUIDs of their own, at each address and port; always the same")
  void guids() {
    long guid = read("address", "127.0.0.2").guid();
    assertEquals(guid, read("address", "127.0.0.2").guid());
    assertNotEquals(guid, read("address", "127.0.0.3").guid());
    assertNotEquals(guid, read("address", "127.0.0.2", "port", 4792).guid());
    assertNotEquals(guid, read("address", "127.0.0.2", "name", "rxe9").guid());
  }

  @Test
  @DisplayName("F25 addresses of both families, or an interface, but not both and not neither")
  void where() {
    RxeConfig two = read("address", "10.0.0.1, fd00::2");
    assertEquals(2, two.addresses().size());
    assertEquals(Optional.of("eth0"), read("interface", "eth0").interfaceName());
    assertTrue(refusal().contains("key address is absent"), refusal());
    assertTrue(refusal("address", "10.0.0.1", "interface", "eth0").contains("key address is"));
  }

  @ParameterizedTest
  @CsvSource({
    "address, 10.0.0.256",
    "address, somewhere.example",
    "address, 0.0.0.0",
    "address, 224.0.0.1",
    "address, '10.0.0.1,10.0.0.1'",
    "interface, eth0/../x",
    "interface, aninterfacewithalongname",
    "port, 0",
    "port, 65536",
    "busy_poll, -1",
    "window, 1",
    "socket_buffer, 1",
    "mtu, 1500",
    "ports, 2",
  })
  @DisplayName("F25 a bad value: which key, what was wrong, what is allowed")
  void refused(String key, String value) {
    Object[] values =
        key.equals("address") || key.equals("interface")
            ? new Object[] {key, value}
            : new Object[] {key, value, "address", "10.0.0.1"};
    String text = refusal(values);
    assertTrue(text.contains("key " + key) || text.contains("key '" + key + "'"), text);
    assertTrue(text.length() < 2000, text);
  }

  @Test
  @DisplayName("F25 faults change while the device runs, any other change plugs it again")
  void liveChanges() {
    RxeConfig running = read("address", "10.0.0.1");
    assertTrue(read("address", "10.0.0.1", "faults", "loss").liveChangeOf(running));
    assertFalse(read("address", "10.0.0.2").liveChangeOf(running));
    assertFalse(read("address", "10.0.0.1", "port", 4792).liveChangeOf(running));
  }
}
