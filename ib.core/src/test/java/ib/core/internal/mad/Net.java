package ib.core.internal.mad;

import ib.core.client.Incidents;
import ib.core.internal.callback.Contract;
import ib.core.internal.waits.WaitGraph;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadHandler;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadSource;
import ib.core.spi.MadVerdict;
import ib.core.verbs.AhAttr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Ports with LIDs 1, 2, … on a medium that loses, repeats and reorders as a seed says. */
final class Net {
  /** A driver's own agent. */
  interface Driver {
    MadVerdict process(MadSource source, Mad in, Mad out);
  }

  final List<Mad> sent = new ArrayList<>();

  /** The lines that the ports write into the log. */
  final List<String> lines = new ArrayList<>();

  final List<MadPort> ports = new ArrayList<>();
  final Contract contract = new Contract(true);
  double loss;

  /** A bug of the medium that the checks of a message must notice. */
  boolean mixesUp;

  double repeat;
  double reorder;
  Driver driver = (source, in, out) -> MadVerdict.PASS;
  private final World world;
  private final Random random;
  private final WaitGraph waits = new WaitGraph();

  Net(World world, long seed, int count) {
    this.world = world;
    this.random = new Random(seed);
    Incidents told = new Incidents("management datagrams", lines::add);
    for (int lid = 1; lid <= count; lid++) {
      ports.add(new MadPort("net" + lid + "/1", new End(lid), world, contract, waits, told));
    }
  }

  Agent agent(int lid, MadRegistration what, MadHandler handler) {
    return ports.get(lid - 1).register(null, what, handler);
  }

  static MadAddress to(int lid) {
    return MadAddress.gsi(AhAttr.ofLid(1, lid, 0));
  }

  long count(int lid, Counter counter) {
    return ports.get(lid - 1).counters.of(counter);
  }

  private final class End implements Wire {
    private final int lid;

    End(int lid) {
      this.lid = lid;
    }

    @Override
    public int port() {
      return 1;
    }

    @Override
    public boolean has(int qpn) {
      return true;
    }

    @Override
    public void transmit(int qpn, MemorySegment mad, MadAddress to, Done done) {
      Mad copy = Mad.of(mad).copy();
      sent.add(copy);
      if (mixesUp && copy.rmpp().segmentNumber() == 2) {
        copy.data()
            .set(ValueLayout.JAVA_BYTE, 7, (byte) ~copy.data().get(ValueLayout.JAVA_BYTE, 7));
      }
      done.sent(null);
      int copies = random.nextDouble() < repeat ? 2 : 1;
      for (int i = 0; i < copies; i++) {
        if (random.nextDouble() >= loss && to.ah().dlid() <= ports.size()) {
          long delayUs = random.nextDouble() < reorder ? 10 + random.nextInt(5000) : 10;
          AhAttr back = AhAttr.ofLid(1, lid, 0);
          MadSource source = new MadSource(1, false, lid, 0, qpn, 0, back);
          MadPort peer = ports.get(to.ah().dlid() - 1);
          world.after(
              TimeUnit.MICROSECONDS.toNanos(delayUs),
              () -> peer.arrived(to.qpn(), copy.copy(), source));
        }
      }
    }

    @Override
    public MadVerdict process(MadSource source, MemorySegment in, MemorySegment out) {
      return driver.process(source, Mad.of(in), Mad.of(out));
    }

    @Override
    public boolean ownLid(int other) {
      return other == lid;
    }
  }
}
