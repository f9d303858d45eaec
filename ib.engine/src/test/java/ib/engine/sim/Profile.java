package ib.engine.sim;

import ib.core.spi.FaultRule;
import ib.core.spi.FaultRule.Direction;
import ib.core.spi.FaultRule.Kind;
import ib.engine.fault.Faults;
import java.util.SplittableRandom;

/** The faults and sizes of a simulation. */
public enum Profile {
  /** No faults: packets of several MTUs on the way, as on the wire inside a JVM. */
  CLEAN(0, 0, 0, 0, 0.5, 60, 65_536),
  /** No faults, and a medium that shows no packets: requests run at the peer without packets. */
  DIRECT(0, 0, 0, 0, 0, 60, 65_536),
  /** As DIRECT, with a medium that has faults for a while and then none, repeatedly. */
  DIRECT_MIXED(-0.1, -0.25, -0.25, -0.025, 0.5, 200, 16_384),
  /** Loss of 0.1 %. */
  LOSS_0_1(0.001, 0, 0, 0, 0.5, 60, 65_536),
  /** Loss of 1 %. */
  LOSS_1(0.01, 0, 0, 0, 0.5, 60, 65_536),
  /** Loss of 5 %. */
  LOSS_5(0.05, 0, 0, 0, 0.5, 60, 65_536),
  /** Loss of 10 %. */
  LOSS_10(0.1, 0, 0, 0, 0.5, 60, 32_768),
  /** Loss of 20 %. */
  LOSS_20(0.2, 0, 0, 0, 0.5, 60, 32_768),
  /** Loss of 30 %. */
  LOSS_30(0.3, 0, 0, 0, 0.5, 60, 16_384),
  /** Loss of 50 %. */
  LOSS_50(0.5, 0, 0, 0, 0.5, 40, 8_192),
  /** Every second packet twice. */
  DUPLICATE_50(0, 0.5, 0, 0, 0.5, 60, 65_536),
  /** Every second packet overtaken. */
  REORDER_50(0, 0, 0.5, 0, 0.5, 60, 65_536),
  /** Corruption of 5 %. */
  CORRUPT_5(0, 0, 0, 0.05, 0.5, 60, 65_536),
  /** Everything at once, at random rates up to half of the most. */
  MIXED(-0.1, -0.25, -0.25, -0.025, 1, 60, 16_384),
  /** Everything at once, at the most. */
  WORST(0.5, 0.5, 0.5, 0.05, 1, 30, 8_192),
  /** A few acknowledgements are lost and nothing else: not one request may fail of it. */
  LOST_ACKS(0, 0, 0, 0, 0, 60, 16_384),
  /** Bytes change and no check sees it: every run must fail. */
  SILENT(0, 0, 0, 0, 0, 60, 65_536),
  /** Some of everything, with hours between the bursts. */
  SOAK(0.01, 0.02, 0.02, 0.005, 0.5, 3000, 8_192),
  /** Large messages without faults, segmented. */
  BULK(0, 0, 0, 0, 0, 40, 1 << 20),
  /** Large messages, everything at once at low rates. */
  BULK_MIXED(0.001, 0.002, 0.002, 0.001, 1, 40, 1 << 20),
  /** Large messages at a loss of 30 %. */
  BULK_LOSS_30(0.3, 0, 0, 0, 0, 12, 1 << 18),
  /** One connection, packets of 256 bytes, until every sequence number was used. */
  LAP(0.0001, 0.0001, 0.0001, 0.0001, 1, 80_000, 1 << 16);

  /** So few that retries cannot run out. */
  private static final int MAX_LOST_ACKS = 3;

  private static final long HOLD_NS = 200_000;

  private final double loss;
  private final double duplicate;
  private final double reorder;
  private final double corrupt;
  private final double delay;
  final int operations;
  final int sizeMost;

  Profile(
      double loss,
      double duplicate,
      double reorder,
      double corrupt,
      double delay,
      int operations,
      int sizeMost) {
    this.loss = loss;
    this.duplicate = duplicate;
    this.reorder = reorder;
    this.corrupt = corrupt;
    this.delay = delay;
    this.operations = operations;
    this.sizeMost = sizeMost;
  }

  boolean bulk() {
    return name().startsWith("BULK") || this == LAP;
  }

  /** Whether the medium hands requests over without packets while it is undisturbed. */
  boolean direct() {
    return this == DIRECT || changes();
  }

  /** Whether the medium is disturbed only now and then. */
  boolean changes() {
    return this == DIRECT_MIXED;
  }

  /** {@return whether no queue pair may have to wait for a timer} */
  boolean calm() {
    return !loses() && !disorders() && this != LOST_ACKS;
  }

  /** Whether packets can vanish. */
  boolean loses() {
    return loss != 0 || corrupt != 0;
  }

  /** Whether unreliable messages can arrive twice or in another order. */
  boolean disorders() {
    return duplicate != 0 || reorder != 0;
  }

  /** Longest time that a packet can be held back, with a margin. */
  long holdNs() {
    return 3 * HOLD_NS;
  }

  void apply(Faults faults, SplittableRandom random) {
    if (this == LOST_ACKS) {
      faults.add(FaultRule.parse("loss opcode=0x11 rate=0.3 count=" + MAX_LOST_ACKS));
    } else if (this == SILENT) {
      faults.add(FaultRule.parse("silent rate=0.05"));
    }
    rule(faults, Kind.LOSS, loss, random);
    rule(faults, Kind.DUPLICATE, duplicate, random);
    rule(faults, Kind.REORDER, reorder, random);
    rule(faults, Kind.CORRUPT, corrupt, random);
    if (faulty() && random.nextDouble() < delay) {
      FaultRule latency = FaultRule.of(Kind.DELAY).withDelay(random.nextLong(20_000), 0);
      boolean uneven = !bulk() && random.nextBoolean();
      faults.add(uneven ? latency.withRate(random.nextDouble()).withDelay(0, 20_000) : latency);
    }
  }

  private boolean faulty() {
    return loses() || disorders();
  }

  private static void rule(Faults faults, Kind kind, double rate, SplittableRandom random) {
    if (rate == 0) {
      return;
    }
    FaultRule rule = FaultRule.of(kind).withRate(rate > 0 ? rate : -rate * random.nextDouble());
    if (kind == Kind.DUPLICATE && random.nextBoolean()) {
      rule = rule.withDelay(0, random.nextLong(1, HOLD_NS));
    } else if (kind == Kind.REORDER) {
      rule = rule.withDelay(1 + random.nextLong(HOLD_NS), 0).withPackets(1 + random.nextInt(64));
    }
    faults.add(random.nextInt(8) == 0 ? rule.withDirection(Direction.IN) : rule);
  }
}
