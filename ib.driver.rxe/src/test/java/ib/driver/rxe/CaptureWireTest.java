package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ib.core.spi.PacketCapture;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("B3: what a capture writes is what was on the wire, from the IP header on")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CaptureWireTest {
  private static final int ETHERNET = 14;
  private static final int ENHANCED_PACKET = 6;
  private static final int FULL = 12 + 1024 + 4; // BTH, path MTU, ICRC

  private final RxeLab lab = new RxeLab();

  @AfterEach
  void close() {
    lab.close();
  }

  /** The frames of a capture in one direction, without their Ethernet headers, in hex. */
  private static List<String> frames(byte[] file, boolean incoming) {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    List<String> frames = new ArrayList<>();
    for (int at = 0; at < file.length; at += in.getInt(at + 4)) {
      if (in.getInt(at) == ENHANCED_PACKET) {
        int length = in.getInt(at + 20);
        byte[] frame = Arrays.copyOfRange(file, at + 28 + ETHERNET, at + 28 + length);
        // the flags are the last option before the end of options and the length again
        if (in.getInt(at + in.getInt(at + 4) - 12) == (incoming ? 1 : 2)) {
          frames.add(HexFormat.of().formatHex(frame));
        }
      }
    }
    return frames.stream().sorted().toList();
  }

  private static void datagram(RxeSide a, RxeSide b, GlobalRoute route) {
    b.receive(1, 0, 200);
    AddressHandle ah = a.pd.createAh(AhAttr.ofGid(1, route));
    a.qp.wrStart();
    a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), RxeSide.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 101);
    assertEquals(0, a.qp.wrComplete());
    a.next(2);
    b.next(1);
    ah.close();
  }

  private void traffic(RxeSide a, RxeSide b) {
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    for (int i = 0; i < 3; i++) {
      b.receive(1, 0, 4000);
      a.send(2, 0, 3000);
      a.next(2);
      b.next(1);
    }
    RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
    datagram(a, b, new GlobalRoute(b.gid(), 0, a.gidIndex, 1, 0));
    datagram(a, b, new GlobalRoute(b.gid(), 0xabcde, a.gidIndex, 9, 104));
  }

  @ParameterizedTest(name = "{0} {1}, gso {2}")
  @CsvSource({
    "127.0.0.1, native, off",
    "127.0.0.1, native, on",
    "127.0.0.1, portable, auto",
    "::1, native, on",
    "::1, portable, auto"
  })
  @DisplayName(
      "B3: byte for byte what a packet socket of Linux sees: TTL, identification, ports,"
          + " checksums, ICRC")
  void same(String address, String io, String gso) throws Exception {
    lab.configure("rxe0", "address", address, "io", io, "gso", gso);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe0");
    PacketCapture capture =
        (PacketCapture) lab.running.get("rxe0").offers().get(PacketCapture.class);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    List<String> wire;
    try (Sniffer sniffer = new Sniffer()) {
      try (var session = capture.start(Channels.newChannel(file), PacketCapture.Filter.ALL)) {
        traffic(a, b);
        assertEquals(0, session.dropped());
      }
      // without system calls nobody knows the flow label that Linux makes up for a socket
      boolean anyLabel = io.equals("portable") && address.contains(":");
      wire =
          sniffer.packets(FULL).stream()
              .map(HexFormat.of()::formatHex)
              .map(s -> anyLabel ? s.substring(0, 3) + "00000" + s.substring(8) : s)
              .sorted()
              .toList();
    }
    assertNotEquals(List.of(), wire);
    assertEquals(String.join("\n", wire), String.join("\n", frames(file.toByteArray(), false)));
    assertEquals(String.join("\n", wire), String.join("\n", frames(file.toByteArray(), true)));
  }
}
