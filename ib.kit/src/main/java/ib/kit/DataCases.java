package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.QpType;
import ib.core.verbs.WrOpcode;
import java.util.List;

/** Every opcode of every service, with every size that is on an edge (IBA 9.4, 9.7, 9.8). */
final class DataCases {
  static final List<WrOpcode> RC_OPS =
      List.of(
          WrOpcode.SEND,
          WrOpcode.SEND_WITH_IMM,
          WrOpcode.RDMA_WRITE,
          WrOpcode.RDMA_WRITE_WITH_IMM,
          WrOpcode.RDMA_READ);
  static final List<WrOpcode> UC_OPS = RC_OPS.subList(0, 4);
  static final List<WrOpcode> UD_OPS = RC_OPS.subList(0, 2);

  /** A size in terms of the path MTU. */
  private record Size(String label, int mtus, int more) {
    int bytes(Pair pair) {
      return pair.a.mtu().bytes() * mtus + more;
    }
  }

  private static final List<Size> SIZES =
      List.of(
          new Size("0 B", 0, 0),
          new Size("1 B", 0, 1),
          new Size("63 B", 0, 63),
          new Size("MTU - 1 B", 1, -1),
          new Size("MTU", 1, 0),
          new Size("MTU + 1 B", 1, 1),
          new Size("3 MTU + 17 B", 3, 17),
          new Size("100 MTU + 1 B", 100, 1));

  private DataCases() {}

  static void add(Catalogue c) {
    matrix(c.section("DATA", 1, "data: RC", Cap.RC), QpType.RC, RC_OPS, SIZES);
    matrix(c.section("DATA", 101, "data: UC", Cap.UC).lossless(), QpType.UC, UC_OPS, SIZES);
    List<Size> one = SIZES.subList(0, 5);
    matrix(c.section("DATA", 201, "data: UD", Cap.UD).lossless(), QpType.UD, UD_OPS, one);
    mtus(c.section("DATA", 251, "data: path MTU", Cap.RC));
  }

  static String words(WrOpcode op) {
    return switch (op) {
      case SEND -> "send";
      case SEND_WITH_IMM -> "send with immediate";
      case RDMA_WRITE -> "write";
      case RDMA_WRITE_WITH_IMM -> "write with immediate";
      case RDMA_READ -> "read";
      default -> op.name();
    };
  }

  private static void matrix(
      Catalogue.Section s, QpType type, List<WrOpcode> ops, List<Size> sizes) {
    for (WrOpcode op : ops) {
      for (Size size : sizes) {
        s.add(
            type + " " + words(op) + " " + size.label(),
            t -> {
              Pair pair = t.pair(Shape.of(type).mtu(1024));
              new Transfer(t, pair, op, size.bytes(pair)).run();
            });
      }
    }
  }

  private static void mtus(Catalogue.Section s) {
    for (int mtu : new int[] {256, 512, 2048, 4096}) {
      for (WrOpcode op : List.of(WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ)) {
        s.add(
            "RC " + words(op) + " 2 MTU + 1 B at a path MTU of " + mtu,
            t -> {
              t.assume(
                  t.left().queryPort(1).activeMtu().bytes() >= mtu
                      && t.right().queryPort(1).activeMtu().bytes() >= mtu,
                  "the ports have no MTU of " + mtu);
              Pair pair = t.pair(Shape.of(QpType.RC).mtu(mtu));
              new Transfer(t, pair, op, 2 * mtu + 1).run();
            });
      }
    }
  }
}
