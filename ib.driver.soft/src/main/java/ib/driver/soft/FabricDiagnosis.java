package ib.driver.soft;

import ib.core.spi.QpDiagnosis;
import ib.core.verbs.QpType;
import ib.driver.soft.fabric.FabricPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The engine's diagnosis of a queue pair, and the fabric's losses of the device's packets. */
record FabricDiagnosis(QpDiagnosis engine, List<FabricPort> wires) implements QpDiagnosis {
  private static final String PARTITION = "fabric_drop_partition";

  @Override
  public String device() {
    return engine.device();
  }

  @Override
  public Optional<Report> diagnose(int qpn) {
    return engine.diagnose(qpn).map(this::complete);
  }

  @Override
  public List<Report> all() {
    return engine.all().stream().map(this::complete).toList();
  }

  private Report complete(Report r) {
    Map<String, Long> counters = new LinkedHashMap<>(r.counters());
    long refused = 0;
    for (FabricPort wire : wires) {
      for (Map.Entry<String, Long> e : wire.counters().entrySet()) {
        if (e.getValue() > 0) {
          counters.merge(e.getKey(), e.getValue(), Long::sum);
          refused += e.getKey().startsWith(PARTITION) ? e.getValue() : 0;
        }
      }
    }
    boolean suffers = refused > 0 && (r.type() == QpType.UD || !r.troubles().isEmpty());
    List<String> tries = new ArrayList<>(r.tries());
    if (suffers) {
      tries.addFirst("sminfo, and smpquery pkeys of the switch's port: who made the tables?");
    }
    String likely =
        suffers ? "a switch enforces partitions and does not pass this one" : r.likely();
    return r.with(r.device(), r.nowNs(), counters, new Finding(likely, tries));
  }
}
