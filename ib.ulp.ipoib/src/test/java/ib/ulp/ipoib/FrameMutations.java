package ib.ulp.ipoib;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.AddressOption;
import ib.ulp.ipoib.wire.Arp;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Packets of IPoIB as nobody should send them: right ones of every kind that an interface answers,
 * with bytes changed, cut off or added, their checksums made right again or not; and noise.
 */
final class FrameMutations {
  static final int PORT = 7;
  private static final int ECHO_V4 = 8;
  private static final int ECHO_V6 = 128;
  private static final int SOLICITATION = 135;
  private static final int ND_BYTES = 24;
  private static final int MAX_CHANGED = 120;

  private final RandomGenerator random;
  private final List<Ip> victim;
  private final List<Ip> spared;
  private final LinkAddress stranger;

  /** Packets to a victim; none has an address in it that the victim knows somebody else by. */
  FrameMutations(RandomGenerator random, List<Ip> victim, List<Ip> spared, LinkAddress stranger) {
    this.random = random;
    this.victim = victim;
    this.spared = spared;
    this.stranger = stranger;
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** Writes one with its encapsulation; returns its length. */
  int fill(MemorySegment s, int most) {
    s.asSlice(0, Math.min(most, 256)).fill((byte) 0);
    int length = Encapsulation.BYTES + kind(s, Encapsulation.BYTES);
    if (chance(60)) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        int at = random.nextInt(Math.min(length, MAX_CHANGED));
        s.set(ValueLayout.JAVA_BYTE, at, (byte) (chance(50) ? random.nextInt() : 0xff));
      }
      repair(s, length);
    }
    length = Math.min(most, length(length, most));
    return touches(s, length) ? 0 : length;
  }

  /** Writes an echo request, with its encapsulation; returns its length. */
  int echoOf(MemorySegment s, Ip from, Ip to) {
    Encapsulation.write(s, 0, IpPacket.type(to));
    int payload = 16;
    int header = IpPacket.write(s, Encapsulation.BYTES, from, to, icmp(to), payload, 64);
    long at = (long) Encapsulation.BYTES + header;
    s.asSlice(at, payload).fill((byte) 0);
    Octets.u32(s, at, (to.isV4() ? ECHO_V4 : ECHO_V6) << 24);
    finish(s, at, from, to, payload);
    return Encapsulation.BYTES + header + payload;
  }

  /** Writes a datagram to {@link #PORT}, with its encapsulation; returns its length. */
  int udpOf(MemorySegment s, Ip from, Ip to) {
    Encapsulation.write(s, 0, IpPacket.type(to));
    int payload = 16;
    int header = IpPacket.write(s, Encapsulation.BYTES, from, to, IpPacket.UDP, payload, 64);
    long at = (long) Encapsulation.BYTES + header;
    s.asSlice(at, payload).fill((byte) 0);
    Octets.u16(s, at + 2, PORT);
    Octets.u16(s, at + 4, payload);
    return Encapsulation.BYTES + header + payload;
  }

  private int length(int length, int most) {
    return switch (random.nextInt(10)) {
      case 0 -> random.nextInt(length + 1);
      case 1 -> random.nextInt(8);
      case 2 -> length + random.nextInt(64);
      case 3 -> chance(20) ? random.nextInt(most + 1) : length;
      default -> length;
    };
  }

  private int kind(MemorySegment s, long at) {
    Ip to = victim.get(random.nextInt(victim.size()));
    Ip from = address(to.isV4());
    int type = IpPacket.type(to);
    int length =
        switch (random.nextInt(8)) {
          case 0, 1 -> {
            type = Encapsulation.ARP;
            yield arp(s, at);
          }
          case 2 -> echo(s, at, from, to);
          case 3 -> udp(s, at, from, to);
          case 4, 5 -> {
            type = Encapsulation.IPV6;
            yield discovery(s, at);
          }
          case 6 -> hopByHop(s, at);
          default -> {
            for (int i = 0; i < MAX_CHANGED; i++) {
              s.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            }
            yield random.nextInt(MAX_CHANGED);
          }
        };
    Encapsulation.write(s, 0, chance(95) ? type : random.nextInt(1 << 16));
    return length;
  }

  /** An address of somebody, of nobody, or of many. */
  private Ip address(boolean four) {
    int low = random.nextInt();
    if (four) {
      return switch (random.nextInt(8)) {
        case 0 -> Ip.v4(0);
        case 1 -> Ip.v4(-1);
        case 2 -> Ip.v4(0xe000_0000 | low >>> 4);
        case 3 -> Ip.v4(low);
        default -> Ip.v4(0x0a60_0000 | low & 0xff);
      };
    }
    return switch (random.nextInt(8)) {
      case 0 -> new Ip(0, 0);
      case 1 -> new Ip(0xff02L << 48, low & 0xff);
      case 2 -> new Ip(random.nextLong(), random.nextLong());
      case 3 -> Ip.linkLocal(low);
      default -> new Ip(0xfd00L << 48, low & 0xffff);
    };
  }

  private LinkAddress somebody() {
    return chance(50)
        ? stranger
        : new LinkAddress(
            random.nextInt(256),
            random.nextInt(1 << 24),
            chance(50) ? Gid.linkLocal(random.nextLong()) : new Gid(random.nextLong(), 1));
  }

  private int arp(MemorySegment s, long at) {
    int target = chance(80) ? victim.getFirst().v4() : address(true).v4();
    int operation = chance(90) ? 1 + random.nextInt(2) : random.nextInt(1 << 16);
    new Arp(operation, somebody(), address(true).v4(), somebody(), target).write(s, at);
    return Arp.BYTES;
  }

  private int echo(MemorySegment s, long at, Ip from, Ip to) {
    int payload = 8 + random.nextInt(100);
    int header = IpPacket.write(s, at, from, to, icmp(to), payload, 64);
    Octets.u32(s, at + header, (to.isV4() ? ECHO_V4 : ECHO_V6 + random.nextInt(2)) << 24);
    Octets.u32(s, at + header + 4, random.nextInt(16));
    finish(s, at + header, from, to, payload);
    return header + payload;
  }

  private static int icmp(Ip to) {
    return to.isV4() ? IpPacket.ICMP : IpPacket.ICMPV6;
  }

  private static void finish(MemorySegment s, long at, Ip from, Ip to, int payload) {
    long sum = to.isV4() ? 0 : Checksum.pseudo(from, to, IpPacket.ICMPV6, payload);
    Octets.u16(s, at + 2, 0);
    Octets.u16(s, at + 2, Checksum.fold(Checksum.sum(s, at, payload, sum)));
  }

  private int udp(MemorySegment s, long at, Ip from, Ip to) {
    int payload = 8 + random.nextInt(100);
    int header = IpPacket.write(s, at, from, to, IpPacket.UDP, payload, 64);
    Octets.u16(s, at + header, random.nextInt(1 << 16));
    Octets.u16(s, at + header + 2, chance(70) ? PORT : random.nextInt(1 << 16));
    Octets.u16(s, at + header + 4, payload);
    return header + payload;
  }

  private int discovery(MemorySegment s, long at) {
    Ip to = victim.getLast();
    Ip from = address(false);
    int payload = ND_BYTES + random.nextInt(3) * AddressOption.BYTES;
    int header = IpPacket.write(s, at, from, to, IpPacket.ICMPV6, payload, 255);
    Octets.u32(s, at + header, SOLICITATION + random.nextInt(2) << 24);
    Octets.ip(s, at + header + 8, chance(80) ? to : address(false));
    for (int o = ND_BYTES; o < payload; o += AddressOption.BYTES) {
      AddressOption.write(s, at + header + o, 1 + random.nextInt(2), somebody());
    }
    finish(s, at + header, from, to, payload);
    return header + payload;
  }

  private int hopByHop(MemorySegment s, long at) {
    int payload = 8 + random.nextInt(64);
    int header = IpPacket.write(s, at, address(false), victim.getLast(), 0, payload, 64);
    Octets.u8(s, at + header, chance(50) ? IpPacket.ICMPV6 : random.nextInt(256));
    Octets.u8(s, at + header + 1, chance(80) ? random.nextInt(3) : random.nextInt(256));
    return header + payload;
  }

  /** Checksums of what was changed hold again, now and then. */
  private void repair(MemorySegment s, int length) {
    long at = Encapsulation.BYTES;
    if (length < at + IpPacket.V6_HEADER + 8 || chance(40)) {
      return;
    }
    int version = Octets.u8(s, at) >> 4;
    if (version == 4) {
      int header = Math.min((Octets.u8(s, at) & 0xf) * 4, length - (int) at);
      Octets.u16(s, at + 10, 0);
      Octets.u16(s, at + 10, Checksum.fold(Checksum.sum(s, at, header, 0)));
      int rest = length - (int) at - header;
      if (rest >= 8 && Octets.u8(s, at + 9) == IpPacket.ICMP) {
        finish(s, at + header, victim.getFirst(), victim.getFirst(), rest);
      }
    } else if (version == 6 && Octets.u8(s, at + 6) == IpPacket.ICMPV6) {
      int rest = length - (int) at - IpPacket.V6_HEADER;
      finish(s, at + IpPacket.V6_HEADER, Octets.ip(s, at + 8), Octets.ip(s, at + 24), rest);
    }
  }

  /** Whether it may speak for somebody else: who says so is believed, as ARP has it. */
  private boolean touches(MemorySegment s, int length) {
    for (int i = 0; i < Math.min(length, 2 * MAX_CHANGED); i++) {
      for (Ip ip : spared) {
        boolean same =
            ip.isV4()
                ? i + 4 <= length && Octets.u32(s, i) == ip.v4()
                : i + 16 <= length && Octets.ip(s, i).equals(ip);
        if (same) {
          return true;
        }
      }
    }
    return false;
  }
}
