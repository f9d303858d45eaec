package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import ib.core.verbs.Gid;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 13, point 2: the driver's book of addresses")
final class LocalWiresTest {
  private static final int PORT = UdpOptions.ROCE_PORT;

  private final LocalWires book = new LocalWires();

  private UdpWire wire() {
    return new UdpWire(ReceiverTest.options(UdpOptions.Path.PORTABLE), book);
  }

  @Test
  @DisplayName("what was entered is found, and nothing else, after 2,000 random changes")
  void model() {
    UdpWire[] wires = {wire(), wire(), wire()};
    Map<Gid, UdpWire> model = new HashMap<>();
    Random random = new Random(13);
    for (int i = 0; i < 2_000; i++) {
      Gid gid = new Gid(0, 0xffff_0a00_0000L | random.nextInt(200));
      UdpWire wire = wires[random.nextInt(wires.length)];
      if (random.nextInt(3) < 2) {
        book.add(gid, PORT, wire);
        model.putIfAbsent(gid, wire);
      } else {
        book.remove(gid, PORT, wire);
        model.remove(gid, wire);
      }
      for (int k = 0; k < 200; k++) {
        Gid each = new Gid(0, 0xffff_0a00_0000L | k);
        assertSame(model.get(each), book.find(each.high(), each.low(), PORT));
      }
    }
    for (UdpWire each : wires) {
      each.close();
    }
  }

  @Test
  @DisplayName("a link-local address is another host on each interface, so it is not entered")
  void linkLocal() {
    UdpWire wire = wire();
    Gid gid = Gid.parse("fe80::1");
    book.add(gid, PORT, wire);
    assertNull(book.find(gid.high(), gid.low(), PORT));
    wire.close();
  }

  @Test
  @DisplayName("each change is counted; another UDP port is another place")
  void counted() {
    UdpWire wire = wire();
    Gid gid = Gid.parse("::ffff:10.0.0.1");
    int before = book.epoch.now();
    book.add(gid, PORT, wire);
    assertNotEquals(before, book.epoch.now());
    assertNull(book.find(gid.high(), gid.low(), PORT + 1));
    assertSame(wire, book.find(gid.high(), gid.low(), PORT));
    before = book.epoch.now();
    book.remove(gid, PORT, wire);
    assertEquals(before + 1, book.epoch.now());
    assertNull(book.find(gid.high(), gid.low(), PORT));
    wire.close();
  }
}
