package ib.itests.interop;

import java.util.ArrayList;
import java.util.List;

/**
 * Issue 4, section 2, all of it: every program, MTU and address family, polling and events, 1 B to
 * 8 MiB. An hour under emulation, so by property {@code ib.interop.full} only.
 */
final class Matrix {
  /** Whether it is wanted. */
  static final boolean FULL = Boolean.getBoolean("ib.interop.full");

  private static final List<Integer> MTUS = List.of(256, 512, 1024, 2048, 4096);
  private static final List<Integer> SIZES = List.of(1, 4095, 65537, 1 << 20, 8 << 20);

  private Matrix() {}

  static List<Object[]> pingPongs() {
    List<Object[]> all = new ArrayList<>();
    for (boolean ipv6 : List.of(false, true)) {
      for (String events : List.of("", " -e")) {
        for (int mtu : MTUS) {
          all.add(new Object[] {"rc", "-c -n 20 -s 5000 -m " + mtu + events, ipv6});
          all.add(new Object[] {"uc", "-c -n 20 -s 5000 -m " + mtu + events, ipv6});
        }
        all.add(new Object[] {"rc", "-c -n 20 -s 1" + events, ipv6});
        all.add(new Object[] {"rc", "-c -n 20 -s 65537 -m 4096" + events, ipv6});
        all.add(new Object[] {"ud", "-c -n 20 -s 1" + events, ipv6});
        all.add(new Object[] {"ud", "-c -n 20 -s 1024" + events, ipv6});
        all.add(new Object[] {"srq", "-c -n 50 -q 5 -s 4000" + events, ipv6});
      }
    }
    return all;
  }

  static List<Object[]> perftests() {
    List<Object[]> all = new ArrayList<>();
    for (boolean ipv6 : List.of(false, true)) {
      for (String events : List.of("", " -e")) {
        for (String program : List.of("ib_send_bw", "ib_write_bw", "ib_read_bw")) {
          for (int mtu : MTUS) {
            all.add(new Object[] {program, "-n 20 -s 5000 -m " + mtu + events, ipv6});
          }
          for (int size : SIZES) {
            all.add(new Object[] {program, "-n 5 -t 1 -s " + size + events, ipv6});
          }
        }
        for (String program : List.of("ib_send_lat", "ib_read_lat")) {
          all.add(new Object[] {program, "-n 20 -s 1" + events, ipv6});
          all.add(new Object[] {program, "-n 20 -s 65536" + events, ipv6});
        }
        all.add(new Object[] {"ib_send_bw", "-n 20 -s 3000 -c UC" + events, ipv6});
        all.add(new Object[] {"ib_send_bw", "-n 20 -s 1000 -c UD" + events, ipv6});
        all.add(new Object[] {"ib_atomic_bw", "-n 20" + events, ipv6});
        all.add(new Object[] {"ib_atomic_bw", "-n 20 -A CMP_AND_SWAP" + events, ipv6});
        all.add(new Object[] {"ib_atomic_lat", "-n 20" + events, ipv6});
      }
      all.add(new Object[] {"ib_write_lat", "-n 20 -s 1", ipv6}); // it polls memory
      all.add(new Object[] {"ib_write_lat", "-n 20 -s 65536", ipv6});
      all.add(new Object[] {"ib_write_bw", "-n 5 -a", ipv6});
      all.add(new Object[] {"ib_send_bw", "-n 5 -a", ipv6});
    }
    return all;
  }
}
