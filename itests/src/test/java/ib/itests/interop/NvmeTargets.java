package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import ib.itests.samples.SampleBuild;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * The host of samples/nvmet connects to Linux's NVMe target, which serves a file, identifies it,
 * writes, reads 1,000 pages at random places, and compares (T17). Linux's target READs what is
 * written, WRITEs what is read, and invalidates keys by its SEND.
 */
@RunWith(Parameterized.class)
public class NvmeTargets {
  private static final String NQN = "testnqn";

  private static final String SERVE =
      """
      set -e
      modprobe nvmet
      modprobe nvmet-rdma
      mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
      truncate -s 16M /tmp/target
      cd /sys/kernel/config/nvmet
      mkdir -p subsystems/testnqn
      echo 1 >subsystems/testnqn/attr_allow_any_host
      mkdir subsystems/testnqn/namespaces/1
      echo -n /tmp/target >subsystems/testnqn/namespaces/1/device_path
      echo 1 >subsystems/testnqn/namespaces/1/buffered_io
      echo 1 >subsystems/testnqn/namespaces/1/enable
      mkdir ports/1
      echo rdma >ports/1/addr_trtype
      echo ipv4 >ports/1/addr_adrfam
      echo 10.77.0.2 >ports/1/addr_traddr
      echo 4420 >ports/1/addr_trsvcid
      ln -s /sys/kernel/config/nvmet/subsystems/testnqn ports/1/subsystems/testnqn
      """;

  private static final String END =
      """
      cd /sys/kernel/config/nvmet 2>/dev/null || exit 0
      rm -f ports/1/subsystems/testnqn
      rmdir ports/1 subsystems/testnqn/namespaces/1 subsystems/testnqn 2>/dev/null
      rm -f /tmp/target
      """;

  private final int reads;

  public NvmeTargets(String program, String options, int reads) {
    assertEquals("Linux's nvmet-rdma", program);
    assertEquals("", options);
    this.reads = reads;
  }

  @Parameters(name = "{0} {2} reads")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    if (Matrix.FULL) {
      cases.add(new Object[] {"Linux's nvmet-rdma", "", 1_000});
    }
    return Lane.chosen(cases);
  }

  @BeforeClass
  public static void hasTarget() throws Exception {
    String has = Lane.LANE.peer.must("modprobe nvmet-rdma 2>/dev/null && echo yes; true");
    assumeTrue("the peer's image has no nvmet: ./ib peer build", has.contains("yes"));
    Lane.LANE.run("start " + SampleBuild.jar("nvmet").toUri());
  }

  @After
  public void end() throws Exception {
    Lane.LANE.peer.script("nvmet-end", END);
    Managers.nothingIsLeft();
  }

  @Test
  public void writesAndReads() throws Exception {
    Lane.LANE.inTime();
    Lane.LANE.meet(false);
    String mark = Lane.LANE.peer.markKernelLog();
    Lane.LANE.peer.script("nvmet-serve", SERVE);
    String line = "nvmet:exercise " + LinuxPeer.ADDRESS + " " + NQN + " " + reads;
    String said = Lane.LANE.run(line);
    String all = reads + " pages read, 96 written, 16 keys invalidated, all equal";
    assertTrue(said, said.contains(all));
    for (String each : Lane.LANE.peer.kernelLogSince(mark)) {
      assertTrue(each, !each.matches("(?i).*(error|warn|fail|timeout|timed out|bug|lost).*"));
    }
  }
}
