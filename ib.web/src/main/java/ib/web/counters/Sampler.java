package ib.web.counters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.IbCore;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbException;
import ib.core.verbs.PortCounter;
import ib.web.fabric.Traffic;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the counters of all ports each second, on a thread of its own. Any thread may ask for the
 * series.
 */
public final class Sampler implements Traffic, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
  private static final long PERIOD_MS = 1000;
  private static final String DROP = "drop_";

  /** Faults whose packets do not arrive. */
  private static final Set<FaultRule.Kind> LOSSES =
      EnumSet.of(FaultRule.Kind.LOSS, FaultRule.Kind.PARTITION, FaultRule.Kind.CORRUPT);

  private final IbCore core;
  private final Supplier<? extends Collection<FaultInjection>> injections;
  private final ScheduledExecutorService timer;

  // By device and port
  @GuardedBy("this")
  private Map<String, Series> series = Map.of();

  /** Makes a sampler without a timer; {@link #start} makes one that reads each second. */
  Sampler(IbCore core, Supplier<? extends Collection<FaultInjection>> injections) {
    this.core = core;
    this.injections = injections;
    timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("ib-web-sampler").daemon().factory());
  }

  /**
   * Starts a sampler.
   *
   * @param core the midlayer
   * @param injections the fault services of all devices, read for each sample
   * @return the sampler, until it is closed
   */
  public static Sampler start(
      IbCore core, Supplier<? extends Collection<FaultInjection>> injections) {
    Sampler sampler = new Sampler(core, injections);
    sampler.timer.scheduleAtFixedRate(
        () -> sampler.turn(), PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
    return sampler;
  }

  /** One reading; whatever it throws, the next one follows. */
  private void turn() {
    try {
      read(System.nanoTime());
    } catch (RuntimeException e) {
      LOG.warn("counters were not read", e);
    }
  }

  /**
   * Reads all ports; series of devices that have gone are kept until they are too old.
   *
   * @param nowNs the time of the samples
   */
  void read(long nowNs) {
    Map<String, Series> next = new LinkedHashMap<>();
    for (DeviceInfo device : core.devices()) {
      for (int port = 1; port <= device.portCount(); port++) {
        String key = key(device.name(), port);
        Series before = series().getOrDefault(key, new Series(device.name(), port, List.of()));
        Sample sample = sample(device.name(), port, nowNs);
        next.put(key, sample == null ? before : before.with(sample));
      }
    }
    synchronized (this) {
      series.forEach(
          (key, old) -> {
            boolean young = nowNs - lastNs(old) < TimeUnit.SECONDS.toNanos(Series.MAX_SAMPLES);
            if (young) {
              next.putIfAbsent(key, old);
            }
          });
      series = Map.copyOf(next);
    }
  }

  private static long lastNs(Series series) {
    return series.samples().isEmpty() ? 0 : series.samples().getLast().atNs();
  }

  private @Nullable Sample sample(String device, int port, long nowNs) {
    try {
      Map<String, Long> drops = new TreeMap<>();
      core.counters(device, port).forEach((name, n) -> add(drops, name.contains(DROP), name, n));
      injections.get().stream()
          .filter(i -> i.device().equals(device))
          .flatMap(i -> i.list().stream())
          .filter(rule -> LOSSES.contains(rule.rule().kind()))
          .filter(rule -> rule.rule().port() == port || rule.rule().port() == 0 && port == 1)
          .forEach(rule -> add(drops, true, "fault " + rule.id() + ": " + rule.rule(), rule.hit()));
      return Sample.of(nowNs, core.portCounters(device, port, PortCounter.Form.EXTENDED), drops);
    } catch (IbException e) {
      LOG.debug("{} port {} has no counters now", device, port, e); // it is being unplugged
      return null;
    }
  }

  private static void add(Map<String, Long> drops, boolean wanted, String name, long value) {
    if (wanted && value > 0) {
      drops.merge(name, value, Long::sum);
    }
  }

  /** {@return the series of all ports, by device and port} */
  synchronized Map<String, Series> series() {
    return series;
  }

  private static String key(String device, int port) {
    return device + "/" + port;
  }

  @Override
  public double bytesPerS(String device, int port) {
    Series of = series().get(key(device, port));
    List<Series.Rate> rates = of == null ? List.of() : of.rates();
    return rates.isEmpty() ? -1 : rates.getLast().sent() + rates.getLast().received();
  }

  /** Ends the readings; a reading that is on ends by itself. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
