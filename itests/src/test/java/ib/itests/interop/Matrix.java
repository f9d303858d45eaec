package ib.itests.interop;

import java.util.ArrayList;
import java.util.List;

/**
 * Issue 4, section 2, all of it: every MTU with every size from 1 B to 8 MiB and both address
 * families, polling and events, for sends (ping-pongs, which validate), writes and reads; and every
 * program. Half an hour under emulation, so by property {@code ib.interop.full} only. perftest does
 * not do with fewer than five messages: 8 MiB of a small MTU would take it minutes.
 */
final class Matrix {
  /** Whether it is wanted. */
  static final boolean FULL = Boolean.getBoolean("ib.interop.full");

  private static final int LARGE = 1 << 20;
  private static final List<Integer> MTUS = List.of(256, 512, 1024, 2048, 4096);
  private static final List<Integer> SIZES = List.of(1, 4095, 65537, LARGE, 8 << 20);

  private Matrix() {}

  static List<Object[]> pingPongs() {
    List<Object[]> all = new ArrayList<>();
    for (boolean ipv6 : List.of(false, true)) {
      for (String events : List.of("", " -e")) {
        for (int mtu : MTUS) {
          String end = " -m " + mtu + events;
          for (int size : SIZES) {
            all.add(row("rc", "-c -n " + (size < LARGE ? 10 : 1) + " -s " + size + end, ipv6));
          }
          all.add(row("uc", "-c -n 10 -s 5000" + end, ipv6));
          all.add(row("srq", "-c -n 50 -q 5 -s 4000" + end, ipv6));
        }
        all.add(row("uc", "-c -n 10 -s 1" + events, ipv6));
        all.add(row("uc", "-c -n 10 -s 65537" + events, ipv6));
        all.add(row("ud", "-c -n 10 -s 1" + events, ipv6));
        all.add(row("ud", "-c -n 10 -s 1024" + events, ipv6));
      }
    }
    return all;
  }

  static List<Object[]> perftests() {
    List<Object[]> all = new ArrayList<>();
    for (boolean ipv6 : List.of(false, true)) {
      for (String events : List.of("", " -e")) {
        perftests(all, events, ipv6);
      }
      for (int size : List.of(1, 65536)) {
        all.add(row("ib_write_lat", "-n 10 -s " + size, ipv6)); // it polls memory
      }
      for (String program : List.of("ib_send_bw", "ib_write_bw", "ib_read_bw")) {
        all.add(row(program, "-n 5 -a", ipv6));
      }
    }
    return all;
  }

  private static void perftests(List<Object[]> all, String events, boolean ipv6) {
    for (int mtu : MTUS) {
      for (int size : SIZES) {
        String options = "-n 5 -t 1 -s " + size + " -m " + mtu + events;
        if (size <= LARGE || mtu >= 1024) {
          all.add(row("ib_write_bw", options, ipv6));
          all.add(row("ib_read_bw", options, ipv6));
        }
      }
      all.add(row("ib_send_bw", "-n 20 -s 5000 -m " + mtu + events, ipv6));
    }
    for (String program : List.of("ib_send_lat", "ib_read_lat")) {
      all.add(row(program, "-n 10 -s 1" + events, ipv6));
      all.add(row(program, "-n 10 -s 65536" + events, ipv6));
    }
    all.add(row("ib_send_bw", "-n 20 -s 3000 -c UC" + events, ipv6));
    all.add(row("ib_send_bw", "-n 20 -s 1000 -c UD" + events, ipv6));
    all.add(row("ib_send_lat", "-n 10 -s 1000 -c UD" + events, ipv6));
    all.add(row("ib_write_bw", "-n 20 -s 3000 -c UC" + events, ipv6));
    all.add(row("ib_atomic_bw", "-n 20" + events, ipv6));
    all.add(row("ib_atomic_bw", "-n 20 -A CMP_AND_SWAP" + events, ipv6));
    all.add(row("ib_atomic_lat", "-n 10" + events, ipv6));
  }

  /** Every program with its queue pairs connected by RDMA CM, which the original does by IPv4. */
  static List<Object[]> connected() {
    List<Object[]> all = new ArrayList<>();
    for (String end : List.of("", " -e")) {
      all.add(row("ib_send_bw", "-R -n 50 -s 3000 -q 16" + end, false));
      all.add(row("ib_send_bw", "-R -n 50 -s 1000 -c UD" + end, false));
      all.add(row("ib_send_lat", "-R -n 10 -s 64 -c UD" + end, false));
      all.add(row("ib_read_bw", "-R -n 50 -s 65536 -q 4" + end, false));
      all.add(row("ib_read_lat", "-R -n 10" + end, false));
      all.add(row("ib_atomic_bw", "-R -n 50 -q 4" + end, false));
      all.add(row("ib_atomic_lat", "-R -n 10" + end, false));
    }
    all.add(row("ib_send_lat", "-R -n 10 -s 64", false));
    all.add(row("ib_send_bw", "-R -n 50 -s 3000 -b", false));
    all.add(row("ib_send_bw", "-R -n 50 -s 1000 -b -c UD", false));
    all.add(row("ib_send_bw", "-R -n 5 -a", false));
    all.add(row("ib_write_bw", "-R -n 100 -s 65536 -q 16", false));
    all.add(row("ib_write_bw", "-R -n 50 -s 5000 -b", false));
    all.add(row("ib_write_bw", "-R -n 1000 -s 65536", false));
    all.add(row("ib_write_lat", "-R -n 10 -s 64", false));
    for (String type : List.of("RC", "UC", "UD")) {
      all.add(row("ib_send_bw", "-z -n 50 -s 1000 -c " + type, false));
    }
    all.add(row("ib_write_bw", "-z -n 50 -s 3000 -q 2", false));
    all.add(row("ib_read_lat", "-z -n 10", false));
    return all;
  }

  private static Object[] row(String program, String options, boolean ipv6) {
    return new Object[] {program, options, ipv6};
  }
}
