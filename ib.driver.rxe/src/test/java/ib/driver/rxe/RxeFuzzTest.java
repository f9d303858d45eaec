package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 3: random and mutated packets beside verified traffic")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeFuzzTest {
  private static final long PACKETS = Long.getLong("ib.rxe.fuzz", 60_000);
  private static final int SIZE = 8192;
  private static final String STRANGER = "127.0.0.3";

  @ParameterizedTest(name = "{0}, guard {1}")
  @CsvSource({"native, 0", "portable, 0", "native, 100"})
  @DisplayName(
      "F2, D9: 0 wrong bytes, the queue pairs live on; the source may be muted, and only it")
  void fuzz(String io, int guard) throws Exception {
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1", "io", io);
      Object[] guarded = {
        "address", "127.0.0.2", "io", io, "guard_violations", guard, "guard_probes", guard
      };
      lab.configure("rxe1", guarded);
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      AtomicLong sent = new AtomicLong();
      AtomicReference<Throwable> failed = new AtomicReference<>();
      Thread attacker =
          Thread.ofPlatform()
              .name("attacker")
              .start(
                  () -> {
                    try {
                      attack(b.qp.qpn(), sent);
                    } catch (IOException | RuntimeException e) {
                      failed.set(e);
                    }
                  });
      SplittableRandom random = new SplittableRandom(4);
      int messages = 0;
      while (attacker.isAlive() || messages < 100) {
        byte[] data = new byte[SIZE];
        random.nextBytes(data);
        MemorySegment.copy(data, 0, a.memory(), ValueLayout.JAVA_BYTE, 0, SIZE);
        b.receive(messages, 0, SIZE);
        a.send(messages, 0, SIZE);
        a.next(messages);
        b.next(messages);
        MemorySegment got = b.memory().asSlice(0, SIZE);
        assertEquals(-1, got.mismatch(MemorySegment.ofArray(data)), "message " + messages);
        messages++;
      }
      attacker.join();
      assertEquals(null, failed.get());
      assertEquals(QpState.RTS, b.qp.state());
      UdpWire wire = lab.running.get("rxe1").wire();
      long refused =
          wire.counter(UdpCounter.DROP_ICRC_ERROR)
              + wire.counter(UdpCounter.DROP_ID_JUMP)
              + wire.counter(UdpCounter.DROP_WRONG_FLAGS);
      assertTrue(sent.get() >= PACKETS, sent + " packets");
      long muted = lab.running.get("rxe1").ops().counters(1).getOrDefault("drop_muted", 0L);
      assertEquals(guard > 0, muted > 0, muted + " packets of a muted source");
      assertTrue(refused > PACKETS / 20, refused + " of them refused for their ICRC");
    }
  }

  /** A third of noise, a third of good packets with a bit wrong, a third of good forged ones. */
  private static void attack(int qpn, AtomicLong sent) throws IOException {
    SplittableRandom random = new SplittableRandom(9);
    InetSocketAddress to = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 4791);
    try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
      channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      channel.bind(new InetSocketAddress(InetAddress.ofLiteral(STRANGER), 0));
      int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
      byte[] bytes = new byte[1200];
      for (long i = 0; i < PACKETS; i++) {
        int length;
        if (i % 3 == 0) {
          length = random.nextInt(bytes.length);
          random.nextBytes(bytes);
        } else {
          length = forge(bytes, random, qpn, port);
          if (i % 3 == 1) {
            bytes[random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
          }
        }
        channel.send(ByteBuffer.wrap(bytes, 0, length), to);
        sent.getAndIncrement();
      }
    }
  }

  /** A packet that is right in every respect, but comes from a stranger. */
  private static int forge(byte[] bytes, SplittableRandom random, int qpn, int port) {
    BthOpcode[] all = BthOpcode.values();
    BthOpcode opcode = all[random.nextInt(all.length)];
    int payload =
        switch (opcode.payload()) {
          case NONE -> 0;
          case EIGHT -> 8;
          case SIXTEEN -> 16;
          default -> 1024;
        };
    random.nextBytes(bytes);
    MemorySegment packet = MemorySegment.ofArray(bytes);
    Bth bth = new Bth();
    bth.wrap(packet, 0);
    bth.clear();
    bth.opcode(opcode.value());
    bth.pkey(0xffff);
    bth.destQp(random.nextInt(4) == 0 ? random.nextInt(1 << 24) : qpn);
    bth.psn(random.nextInt(1 << 24));
    int covered = opcode.headerBytes() + payload;
    int length = covered + Icrc.BYTES;
    MemorySegment headers = MemorySegment.ofArray(new byte[Icrc.Network.IPV4.bytes()]);
    Ipv4Header ip = new Ipv4Header();
    ip.wrap(headers, 0);
    ip.versionAndLength(Ipv4Header.PLAIN);
    ip.totalLength(Icrc.Network.IPV4.bytes() + length);
    ip.fragment(Ipv4Header.DONT_FRAGMENT);
    ip.protocol(UdpHeader.PROTOCOL);
    ip.source(0x7f000003);
    ip.destination(0x7f000002);
    UdpHeader udp = new UdpHeader();
    udp.wrap(headers, 20);
    udp.sourcePort(port);
    udp.destinationPort(4791);
    udp.length(8 + length);
    Icrc.store(packet, covered, new Icrc().of(Icrc.Network.IPV4, headers, 0, packet, 0, covered));
    return length;
  }
}
