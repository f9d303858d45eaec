package ib.driver.soft;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.Smp;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.WellKnown;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Management datagrams as nobody should send them: right ones of every class with bytes changed,
 * and noise, with whatever LRH, GRH, BTH and DETH a queue pair can be made to send.
 */
final class MadMutations {
  private static final int MAD_BYTES = 256;
  private static final int HEADER =
      64; // common, RMPP and SA headers, or what an SMP has before data
  private static final int[] CLASSES = {
    0x01, 0x01, 0x81, 0x81, 0x81, 0x03, 0x03, 0x03, 0x04, 0x07, 0x32, 0x09
  };
  private static final int[] METHODS = {1, 1, 2, 2, 3, 5, 6, 7, 0x12, 0x14, 0x15, 0x81, 0x86, 0x92};
  private static final int[] SMP_ATTRIBUTES = {
    0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1B, 0x20, 0xFF90
  };
  private static final int[] SA_ATTRIBUTES = {
    0x01, 0x02, 0x03, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x20, 0x30, 0x31, 0x33, 0x35,
    0x36, 0x38, 0x39, 0xF3
  };
  private static final int[] PERFORMANCE_ATTRIBUTES = {0x01, 0x10, 0x12, 0x15, 0x1D};

  /** What is said around a datagram. */
  record Envelope(int qpn, int qkey, AhAttr to, int length) {}

  private final RandomGenerator random;

  MadMutations(RandomGenerator random) {
    this.random = random;
  }

  private int one(int... of) {
    return of[random.nextInt(of.length)];
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** Fills 256 bytes. */
  void fill(MemorySegment mad, List<Gid> gids) {
    noise(mad, 0, MAD_BYTES, chance(25) ? 100 : 0);
    if (chance(4)) {
      noise(mad, 0, MAD_BYTES, 100);
      return;
    }
    int mgmtClass = one(CLASSES);
    MadField.write(mad, 0, 8, 1);
    Smp.MGMT_CLASS.set(mad, mgmtClass);
    MadField.write(mad, 16, 8, mgmtClass == 0x03 || mgmtClass == 0x07 ? 2 : 1);
    Smp.METHOD.set(mad, one(METHODS));
    MadField.write(mad, 64, 64, chance(50) ? random.nextInt(8) : random.nextLong());
    switch (mgmtClass) {
      case 0x01, 0x81 -> subnet(mad, mgmtClass == 0x81);
      case 0x03 -> administration(mad, gids);
      case 0x04 -> Smp.ATTRIBUTE_ID.set(mad, one(PERFORMANCE_ATTRIBUTES));
      default -> rmpp(mad);
    }
    if (chance(50)) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        mad.set(ValueLayout.JAVA_BYTE, random.nextInt(HEADER), (byte) random.nextInt());
      }
    }
  }

  private void noise(MemorySegment mad, int from, int to, int percent) {
    for (int i = from; i < to; i++) {
      mad.set(ValueLayout.JAVA_BYTE, i, chance(percent) ? (byte) random.nextInt() : 0);
    }
  }

  private void subnet(MemorySegment mad, boolean directed) {
    Smp.ATTRIBUTE_ID.set(mad, one(SMP_ATTRIBUTES));
    Smp.ATTRIBUTE_MODIFIER.set(mad, chance(70) ? random.nextInt(40) : random.nextInt());
    if (directed) {
      int count = chance(70) ? random.nextInt(4) : random.nextInt(256);
      Smp.DIRECTION.set(mad, chance(20) ? 1 : 0);
      Smp.HOP_COUNT.set(mad, count);
      Smp.HOP_POINTER.set(mad, chance(70) ? Math.min(count, 1) : random.nextInt(256));
      Smp.DR_SLID.set(mad, chance(80) ? Smp.PERMISSIVE_LID : random.nextInt(8));
      Smp.DR_DLID.set(mad, chance(80) ? Smp.PERMISSIVE_LID : random.nextInt(8));
      for (int hop = 1; hop < 5; hop++) {
        Smp.initialPath(mad, hop, chance(90) ? random.nextInt(6) : random.nextInt(256));
        Smp.returnPath(mad, hop, chance(90) ? random.nextInt(6) : random.nextInt(256));
      }
    }
    if (chance(60)) { // something that a Set takes: LID, state, keys of few bits
      for (int i = Smp.DATA; i < 2 * Smp.DATA; i++) {
        mad.set(ValueLayout.JAVA_BYTE, i, (byte) (chance(10) ? random.nextInt(16) : 0));
      }
    }
  }

  private void administration(MemorySegment mad, List<Gid> gids) {
    Smp.ATTRIBUTE_ID.set(mad, one(SA_ATTRIBUTES));
    rmpp(mad);
    MadField.write(mad, 36 * 8, 64, 0); // SM_Key
    MadField.write(mad, 48 * 8, 64, chance(50) ? random.nextInt(1 << 20) : random.nextLong());
    if (chance(50)) { // MGID and PortGID of a MCMemberRecord, or the GIDs of a path
      Gid gid = gids.get(random.nextInt(gids.size()));
      MadField.write(mad, 56 * 8, 64, 0xff12_401b_ffff_0000L);
      MadField.write(mad, 64 * 8, 64, random.nextInt(64));
      MadField.write(mad, 72 * 8, 64, gid.high());
      MadField.write(mad, 80 * 8, 64, gid.low());
    }
  }

  private void rmpp(MemorySegment mad) {
    boolean active = chance(40);
    MadField.write(mad, 24 * 8, 8, active ? 1 : 0);
    MadField.write(mad, 25 * 8, 8, active ? random.nextInt(5) : 0);
    MadField.write(mad, 26 * 8, 8, active ? random.nextInt(256) : 0);
    MadField.write(mad, 28 * 8, 32, one(0, 1, 1, 1, 2, 3, -1, random.nextInt()));
    MadField.write(mad, 32 * 8, 32, one(0, 1, 220, 440, -1, random.nextInt()));
  }

  /** What is said around the next one. */
  Envelope envelope(List<Integer> lids, List<Gid> gids, List<Integer> qpns) {
    int dlid =
        switch (random.nextInt(8)) {
          case 0, 1 -> Smp.PERMISSIVE_LID;
          case 2 -> random.nextInt(0x10000);
          case 3 -> 0xC000 + random.nextInt(64);
          default -> lids.get(random.nextInt(lids.size()));
        };
    int sl = random.nextInt(16);
    AhAttr local = AhAttr.ofLid(1, dlid, sl);
    GlobalRoute route = null;
    if (chance(30)) {
      Gid to = chance(50) ? gids.get(random.nextInt(gids.size())) : gid();
      route =
          new GlobalRoute(to, random.nextInt(1 << 20), 0, random.nextInt(256), random.nextInt(256));
    }
    int qpn =
        switch (random.nextInt(10)) {
          case 0 -> random.nextInt(1 << 24);
          case 1 -> 0xFFFFFF;
          case 2 -> qpns.get(random.nextInt(qpns.size()));
          default -> random.nextInt(2);
        };
    int qkey = chance(80) ? WellKnown.QP1_QKEY : random.nextInt();
    int length = chance(90) ? MAD_BYTES : random.nextInt(2 * MAD_BYTES);
    AhAttr to = route == null ? local : AhAttr.ofLid(1, dlid, sl, route);
    return new Envelope(qpn, qkey, to, length);
  }

  private Gid gid() {
    return new Gid(random.nextLong(), random.nextLong());
  }
}
