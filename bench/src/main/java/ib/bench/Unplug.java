package ib.bench;

import ib.core.client.IbClient;
import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DriverDevice;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.sm.BuiltinSm;
import ib.engine.SoftHca;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * From unregister to the last thread gone: a device with five clients, of which one holds queue
 * pairs with sixteen receives outstanding each (G16). Where there are queue pairs, the client gives
 * nothing back: the core's forced teardown does it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 20)
@Measurement(iterations = 20)
public class Unplug {
  private static final int CLIENTS = 5;
  private static final int RECEIVES = 16;

  /** Queue pairs that are in use. */
  @Param({"0", "1000", "10000"})
  public int queuePairs;

  private final Fabric fabric = BuiltinSm.newFabric();
  private StandaloneCore midlayer = StandaloneCore.create();
  private Node node = new Node(fabric, "bench0", 1);
  private @Nullable DeviceRegistration registration;

  /** Five clients, one device. */
  @Setup(Level.Invocation)
  public void plug() {
    midlayer = StandaloneCore.create();
    node = new Node(fabric, "bench0", 0x02c9_0300_000b_0001L);
    for (int i = 0; i < CLIENTS; i++) {
      midlayer.core().registerClient(i == 0 ? new Busy(queuePairs) : new Idle("client" + i));
    }
    registration = midlayer.drivers().register(node);
  }

  /** Closes what is left. */
  @TearDown(Level.Invocation)
  public void close() {
    midlayer.close();
  }

  /** Unregister, clients removed in reverse, everything flushed, the driver's own end. */
  @Benchmark
  public void unplug() {
    if (registration != null) {
      registration.unregister();
    }
    node.stop();
  }

  private record Idle(String name) implements IbClient {
    @Override
    public @Nullable Object add(IbDevice device) {
      return device;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {}
  }

  private record Busy(int count) implements IbClient {
    @Override
    public String name() {
      return "busy";
    }

    @Override
    public List<QueuePair> add(IbDevice device) {
      List<QueuePair> made = new ArrayList<>(count);
      if (count == 0) {
        return made;
      }
      ProtectionDomain pd = device.allocPd();
      CompletionQueue cq = device.createCq(new CqInit(count * RECEIVES));
      MemoryRegion memory = pd.allocMemory(64, 64, 1);
      AhAttr self = AhAttr.ofLid(1, device.port(1).lid(), 0);
      for (int i = 0; i < count; i++) {
        QpCap cap = new QpCap(RECEIVES, RECEIVES, 1, 1, 0);
        QueuePair qp = pd.createQp(new QpInit(QpType.UD, cq, cap));
        qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(self.port()).qkey(1));
        for (int r = 0; r < RECEIVES; r++) {
          qp.postReceive(r, memory.lkey(), memory.iova(), 64);
        }
        made.add(qp);
      }
      return made;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {}
  }

  /**
   * A device without the driver's slot, capture and fault rules: the figure is that of the core's
   * removal and of the engine's end. A device of {@code SoftFabric} has more to end.
   */
  static final class Node extends DriverDevice {
    private final FabricPort wire;
    private final SoftHca hca;

    Node(Fabric fabric, String name, long guid) {
      super(new DeviceInfo(name, 0, NodeType.CA, guid, guid, 1, "bench"));
      wire = fabric.open("sw0");
      HcaConfig config =
          HcaConfig.of(guid, guid + 1).withLink(LinkLayer.INFINIBAND, "0", Mtu.MTU_4096);
      hca = new SoftHca(config, List.of(wire), this::dispatchEvent);
      hca.start("ib-" + name + "-engine");
      HcaPort port = hca.port(1);
      wire.attach(port, Mtu.MTU_4096);
      port.lid(wire.assignLid(), 0);
      wire.plugCable();
      port.state(PortState.ACTIVE, PhysState.LINK_UP);
    }

    @Override
    public DeviceOps ops() {
      return hca;
    }

    void stop() {
      wire.close();
      hca.shutdown();
    }
  }
}
