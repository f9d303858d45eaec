package ib.engine.fault;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.engine.wire.Epoch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The fault rules of one device, which its {@link FaultyWire}s read for every packet. Any thread
 * may call.
 */
public final class Faults implements FaultInjection {
  private static final int MAX_RULES = 256;
  private static final Fault[] NONE = {};

  private final String device;
  private final int ports;
  final Chance chance;
  private volatile Fault[] active = NONE;
  private final Set<Epoch> epochs = new LinkedHashSet<>(); // of the media; guarded by this
  private int lastId; // guarded by this
  private List<Integer> configured = List.of(); // this too, and the next
  private OptionalLong configuredSeed = OptionalLong.empty();

  /**
   * Creates the rules of a device, none at first.
   *
   * @param device device name
   * @param ports number of ports
   * @param seed seed of the random source
   */
  public Faults(String device, int ports, long seed) {
    this.device = device;
    this.ports = ports;
    this.chance = new Chance(seed);
  }

  Fault[] active() {
    return active;
  }

  /** Adds a medium whose ways the rules close. */
  synchronized void counts(Epoch epoch) {
    epochs.add(epoch);
  }

  /** Replaces the rules; counts that after it has happened. */
  private synchronized void active(Fault[] rules) {
    active = rules;
    epochs.forEach(Epoch::changed);
  }

  @Override
  public String device() {
    return device;
  }

  @Override
  public synchronized int add(FaultRule rule) {
    if (rule.port() > ports) {
      throw new IbInvalidException(
          device + ": fault '" + rule + "'", "there is no port " + rule.port(), "0 to " + ports);
    }
    Fault[] now = active;
    if (now.length >= MAX_RULES) {
      throw new IbNoMemoryException(
          device + ": fault '" + rule + "'", MAX_RULES + " rules already", "remove some");
    }
    Fault[] more = Arrays.copyOf(now, now.length + 1);
    more[now.length] = new Fault(++lastId, rule);
    active(more);
    return lastId;
  }

  @Override
  public List<Active> list() {
    return Arrays.stream(active).map(Fault::snapshot).toList();
  }

  @Override
  public synchronized boolean remove(int id) {
    List<Fault> left = new ArrayList<>(Arrays.asList(active));
    boolean found = left.removeIf(f -> f.id == id);
    active(left.toArray(NONE));
    return found;
  }

  @Override
  public synchronized int clear() {
    int n = active.length;
    active(NONE);
    return n;
  }

  @Override
  public void seed(long seed) {
    chance.seed(seed);
  }

  /**
   * Replaces the rules of the configuration. Its seed begins anew only when it is another.
   *
   * @param rules in place of those of the call before
   * @param seed the seed; empty to keep the present one
   */
  public synchronized void configure(List<FaultRule> rules, OptionalLong seed) {
    if (seed.isPresent() && !seed.equals(configuredSeed)) {
      seed(seed.getAsLong());
    }
    configuredSeed = seed;
    configured.forEach(this::remove);
    configured = rules.stream().map(this::add).toList();
  }
}
