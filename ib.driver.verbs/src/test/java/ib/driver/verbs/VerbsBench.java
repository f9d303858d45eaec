package ib.driver.verbs;

import ib.core.client.IbCore;
import ib.core.spi.QpDiagnosis;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.kit.Bench;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One device of the host, opened twice: its queue pairs reach each other. */
final class VerbsBench implements Bench {
  /** Names the device of the host that tests may use. */
  static final String DEVICE = "ib.verbs.device";

  private final StandaloneFabric fabric;

  VerbsBench() {
    String device = System.getProperty(DEVICE);
    fabric =
        StandaloneFabric.options(VerbsDriver.PID)
            .device("verbs0", Map.of("device", device))
            .device("verbs1", Map.of("device", device, "guid", "02c90300000a0001"))
            .open();
  }

  @Override
  public IbCore core() {
    return fabric.core();
  }

  @Override
  public List<String> devices() {
    return fabric.names();
  }

  @Override
  public void unplug(String device) {
    fabric.unplug(device);
  }

  @Override
  public void plug(String device) {
    fabric.plug(device);
  }

  @Override
  public boolean administered() {
    return false;
  }

  /**
   * rdma_rxe of 6.1 was not seen to raise any of those that cases wait for; its devices are the
   * ones whose directory names a network interface as their parent.
   */
  @Override
  public boolean raises(EventType type) {
    String device = System.getProperty(DEVICE);
    return !Files.exists(Path.of("/sys/class/infiniband", device, "parent"));
  }

  static int ipv4(IbDevice device) {
    for (int i = 0; i < device.port(1).gidTableLen(); i++) {
      if (device.gid(1, i).isIpv4Mapped()) {
        return i;
      }
    }
    return 0;
  }

  /** {@return the index of the first IPv4 address of the first device} */
  int gidIndex() {
    return ipv4(core().device(devices().getFirst()).orElseThrow());
  }

  QpDiagnosis diagnosis(String device) {
    return fabric.service(device, QpDiagnosis.class);
  }

  @Override
  public AhAttr path(IbDevice from, IbDevice to) {
    return from.queryPort(1).linkLayer() == LinkLayer.INFINIBAND
        ? Bench.super.path(from, to)
        : AhAttr.ofGid(1, GlobalRoute.to(to.gid(1, ipv4(to)), ipv4(from)));
  }

  @Override
  public AhAttr group() {
    IbDevice device = core().device(devices().getFirst()).orElseThrow();
    return AhAttr.ofGid(1, GlobalRoute.to(Gid.parse("::ffff:239.1.2.3"), ipv4(device)));
  }

  @Override
  public void close() {
    fabric.close();
  }
}
