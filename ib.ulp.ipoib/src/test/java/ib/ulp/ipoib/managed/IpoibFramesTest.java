package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.spi.PacketCapture;
import ib.driver.soft.Opensm;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.testing.Stacks;
import ib.ulp.ipoib.testing.Stacks.Stack;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("W1 to W9: tshark decodes every kind of IPoIB frame, none is malformed")
@Timeout(600)
class IpoibFramesTest {
  private static final Ip FROM = Ip.parse("10.96.0.1");
  private static final Ip TO = Ip.parse("10.96.0.2");

  /** What each kind of frame looks like to an independent decoder. */
  private static final List<String> KINDS =
      List.of(
          // W2, W5: a request to the broadcast group; the reply to one, with LRH alone
          "arp.opcode == 1 && arp.hw.type == 32 && arp.hw.size == 20 && infiniband.grh.dgid =="
              + " ff12:401b:ffff::ffff:ffff && infiniband.bth.destqp == 0xffffff",
          "arp.opcode == 2 && arp.hw.type == 32 && arp.hw.size == 20 && infiniband.deth",
          // W6: options of 24 bytes
          "icmpv6.type == 135 && icmpv6.opt.type == 1 && icmpv6.opt.length == 3",
          "icmpv6.type == 136 && icmpv6.opt.type == 2 && icmpv6.opt.length == 3",
          // RFC 4862: as nobody, without an option
          "icmpv6.type == 135 && ipv6.src == :: && !icmpv6.opt",
          "icmp.type == 8",
          "icmp.type == 0",
          "icmpv6.type == 128",
          "icmpv6.type == 129",
          // W8, W9: groups
          "udp && ip.dst == 239.1.2.3 && infiniband.grh.dgid == ff12:401b:ffff::f01:203",
          "udp && ipv6.dst == ff05::77 && infiniband.grh.dgid == ff12:601b:ffff::77",
          "udp && ip.dst == 10.96.0.255 && infiniband.bth.destqp == 0xffffff",
          "ip.flags.mf == 1 && ip.frag_offset == 0",
          "ip.flags.mf == 0 && ip.frag_offset > 0");

  @TempDir Path dir;

  @Test
  @DisplayName("ARP, ND, echo, UDP, groups of both versions, broadcast, fragments")
  void decoded() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "no tshark");
    Path file = dir.resolve("frames.pcapng");
    try (Stacks lab = new Stacks()) {
      Stack a = lab.plug(0);
      Stack b = lab.plug(1);
      try (PacketCapture.Session capture =
          lab.nodes
              .get(1)
              .capture()
              .start(
                  FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                  PacketCapture.Filter.ALL)) {
        talk(lab, a, b);
        assertEquals(0, capture.dropped());
      }
    }
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed || _ws.expert.severity == error"));
    String all = Opensm.tshark(dir, file, "frame");
    for (String kind : KINDS) {
      assertFalse(Opensm.tshark(dir, file, kind).isEmpty(), kind + "\n" + all);
    }
    String type = "infiniband && (ip || ipv6 || arp)";
    assertEquals(all.lines().count(), Opensm.tshark(dir, file, type).lines().count(), "W1");
  }

  private static void talk(Stacks lab, Stack a, Stack b) {
    a.host.address(FROM, 24);
    b.host.address(TO, 24);
    a.host.address(Ip.parse("fd00::1"), 64);
    b.host.address(Ip.parse("fd00::2"), 64);
    b.host.join(Ip.parse("239.1.2.3"));
    b.host.join(Ip.parse("ff05::77"));
    lab.settle();
    lab.pass(1000);
    for (String to : List.of("10.96.0.2", "fd00::2")) {
      var reply = a.host.ping(Ip.parse(to), 100, 1_000_000_000L);
      lab.settle();
      assertTrue(reply.isDone() && !reply.isCompletedExceptionally(), to);
    }
    for (String to : List.of("239.1.2.3", "ff05::77", "10.96.0.255")) {
      a.host.send(9, Ip.parse(to), 7, new byte[] {1, 2, 3});
    }
    lab.settle();
    a.link.unicast(b.link.state().address(), fragment(0x2000, 64)); // more of it follows
    a.link.unicast(b.link.state().address(), fragment(64 / 8, 30));
    lab.settle();
  }

  private static Outgoing fragment(int flagsAndOffset, int bytes) {
    MemorySegment s = MemorySegment.ofArray(new byte[128]);
    int at = IpPacket.write(s, 0, FROM, TO, IpPacket.UDP, bytes, 64);
    Octets.u16(s, 6, flagsAndOffset);
    Octets.u16(s, 10, 0);
    Octets.u16(s, 10, Checksum.fold(Checksum.sum(s, 0, at, 0)));
    Octets.u16(s, at, 9);
    Octets.u16(s, at + 2, 7);
    Octets.u16(s, at + 4, 64 + 30);
    return new Outgoing().set(Encapsulation.IPV4, s, 0, at + bytes);
  }
}
