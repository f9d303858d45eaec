package ib.bench;

import ib.core.spi.StandaloneFabric;
import java.util.List;
import java.util.function.Supplier;

/**
 * Cases that alternate in one JVM; the first is the yardstick of the others.
 *
 * @param name what the goals of the project call it, and what it is about
 * @param threads one or two
 * @param cases made in the JVM that measures them
 * @param bounds for each case the time by the yardstick's that was asked for first, and the goal;
 *     0: none
 */
record Group(String name, int threads, Supplier<List<Case>> cases, double[]... bounds) {
  private static final double[] NONE = {0, 0};

  static double[] most(double first, double goal) {
    return new double[] {first, goal};
  }

  static double[] goal(double goal) {
    return new double[] {0, goal};
  }

  /** The shares of the yardstick's rate that the goals name are the inverse of times. */
  static final List<Group> ALL =
      List.of(
          new Group(
              "G1 round trip of two threads",
              2,
              () ->
                  List.of(
                      new RawLimits.Ring(),
                      new Sends.RoundTrip(64, false, false),
                      new Sends.RoundTrip(64, false, true),
                      new Sends.RoundTrip(32, true, false),
                      new AeronCases.RoundTrip()),
              NONE,
              most(2.0, 1.5),
              NONE,
              NONE,
              NONE),
          new Group(
              "G2 write of 64 B",
              1,
              () -> List.of(new RawLimits.Copy(64), new Writes.Single(64), new Writes.Batch(64)),
              NONE,
              NONE,
              NONE),
          new Group(
              "G3 stream of two threads",
              2,
              () -> List.of(new RawLimits.Stream(), new Sends.Stream(), new AeronCases.Stream()),
              NONE,
              most(1 / 0.3, 1 / 0.5),
              NONE),
          new Group(
              "G4 write of 4 KiB",
              1,
              () ->
                  List.of(
                      new RawLimits.Copy(4096), new Writes.Single(4096), new Writes.Batch(4096)),
              NONE,
              goal(1 / 0.55),
              goal(1 / 0.70)),
          new Group(
              "G4 write of 64 KiB",
              1,
              () -> List.of(new RawLimits.Copy(65_536), new Writes.Single(65_536)),
              NONE,
              goal(1 / 0.95)),
          new Group(
              "G4 write of 1 MiB",
              1,
              () -> List.of(new RawLimits.Copy(1 << 20), new Writes.Single(1 << 20)),
              NONE,
              goal(1 / 0.98)),
          new Group(
              "G6 random queue pair",
              1,
              () ->
                  List.of(
                      new Writes.RandomQueuePair(10),
                      new Writes.RandomQueuePair(1_000),
                      new Writes.RandomQueuePair(10_000)),
              NONE,
              most(3, 3),
              goal(3)),
          new Group(
              "G6 its cache misses alone",
              1,
              () ->
                  List.of(
                      new Lines(10, Lines.OF_A_WRITE, Lines.PAIR_BYTES, true),
                      new Lines(1_000, Lines.OF_A_WRITE, Lines.PAIR_BYTES, true),
                      new Lines(10_000, Lines.OF_A_WRITE, Lines.PAIR_BYTES, true),
                      new Lines(10_000, Lines.OF_A_WRITE, Lines.PAIR_BYTES, false)),
              NONE,
              NONE,
              NONE,
              NONE),
          new Group(
              "G7 two posters, one queue pair",
              2,
              () -> List.of(new Writes.Posters(false), new Writes.Posters(true)),
              NONE,
              goal(1 / 0.9)),
          new Group(
              "G7 two pairs, two processors",
              2,
              () -> List.of(new Writes.Single(64), new Writes.TwoPairs()),
              NONE,
              goal(1 / 1.8)),
          trips("soft", StreamCases::soft),
          trips("rxe", StreamCases::rxe),
          trips("rxe by datagrams", StreamCases::datagrams),
          writes("soft", StreamCases::soft),
          writes("rxe", StreamCases::rxe),
          writes("rxe by datagrams", StreamCases::datagrams),
          new Group(
              "F8 beside TCP", 2, StreamCases::besideTcp, NONE, NONE, NONE, NONE, NONE, NONE));

  private static Group trips(String over, Supplier<StandaloneFabric> fabric) {
    return new Group(
        "F8 a byte there and back, " + over,
        2,
        () -> StreamCases.trips(fabric.get()),
        NONE,
        NONE,
        goal(1.3));
  }

  private static Group writes(String over, Supplier<StandaloneFabric> fabric) {
    return new Group(
        "F8 writes of 64 KiB, " + over,
        2,
        () -> StreamCases.writes(fabric.get()),
        NONE,
        goal(1 / 0.8),
        NONE);
  }
}
