package ib.engine;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * A program of its own, started with native memory tracking: connections with regions of 1 MiB come
 * and go. Prints by how many KiB the memory outside the heap has grown.
 */
public final class RegionMemory {
  private static final int REGION = 1 << 20;
  private static final int WARM = 50;
  private static final Pattern COMMITTED =
      Pattern.compile("\\n-\\s+Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

  private RegionMemory() {}

  /**
   * Runs it.
   *
   * @param args how many connections, and how many of their regions are left open
   */
  public static void main(String... args) throws JMException {
    HcaConfig[] two = {HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21)};
    List<MemoryRegion> left = new ArrayList<>();
    try (Rig rig = new Rig(NanoClock.SYSTEM, true, 64, 4096, two)) {
      connections(rig, WARM, left, 0);
      long before = committed();
      connections(rig, Integer.parseInt(args[0]), left, Integer.parseInt(args[1]));
      System.exit((int) Math.min(120, Math.max(0, committed() - before) >> 10)); // in MiB
    }
  }

  private static void connections(Rig rig, int n, List<MemoryRegion> left, int leave) {
    for (int i = 0; i < n; i++) {
      MemoryRegion from = rig.a().pd.allocMemory(REGION, 4096, Rig.ALL_ACCESS);
      MemoryRegion to = rig.b().pd.allocMemory(REGION, 4096, Rig.ALL_ACCESS);
      rig.connect(QpType.RC);
      rig.a().qp.wrStart();
      rig.a().qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      rig.a().qp.wrRdmaWrite(to.rkey(), to.iova());
      rig.a().qp.wrSetSge(from.lkey(), from.iova(), REGION);
      rig.a().qp.wrComplete();
      Rig.await(rig.a().sendCq);
      rig.sides.forEach(s -> s.qp.close());
      to.close();
      if (i < leave) {
        left.add(from);
      } else {
        from.close();
      }
    }
  }

  /** {@return KiB that the JVM's own accounting knows of what segments were given} */
  private static long committed() throws JMException {
    ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
    String text =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    commands,
                    "vmNativeMemory",
                    new Object[] {new String[] {"summary"}},
                    new String[] {String[].class.getName()});
    Matcher m = COMMITTED.matcher(text);
    if (!m.find()) {
      throw new IllegalStateException(text);
    }
    return Long.parseLong(m.group(1));
  }
}
