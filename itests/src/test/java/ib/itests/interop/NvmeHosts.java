package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import ib.itests.samples.SampleBuild;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Linux's NVMe host connects to the target of samples/nvmet, writes and reads through it and
 * disconnects (T18). Its memory is registered for each command and invalidated by the target's
 * SEND; the target READs what it writes and WRITEs what it reads.
 */
@RunWith(Parameterized.class)
public class NvmeHosts {
  private static final String NQN = "nqn.2026-11.ib:disk";
  private static final int MIB = 16; // of the data that is compared
  private static final String OVER = "nothing is served";

  /** Every dd is direct: what is compared has been through the network. */
  private static final String TRAFFIC =
      """
      set -e
      d=/dev/nvme0n1
      dd if=/dev/urandom of=/tmp/nvme bs=1M count=16 2>/dev/null
      sha256sum </tmp/nvme
      dd if=/tmp/nvme of=$d bs=1M oflag=direct 2>/dev/null
      dd if=$d bs=64k count=256 iflag=direct 2>/dev/null | sha256sum
      nvme reset /dev/nvme0
      dd if=/tmp/nvme of=$d bs=4k count=128 seek=4096 oflag=direct 2>/dev/null
      dd if=$d bs=4k count=128 skip=4096 iflag=direct 2>/dev/null | cmp -n 524288 - /tmp/nvme
      nvme flush /dev/nvme0 -n 1
      """;

  private static final String FILES =
      """
      set -e
      command -v mkfs.ext4 >/dev/null || { echo none; exit 0; }
      modprobe ext4
      mkdir -p /tmp/disk
      mkfs.ext4 -q /dev/nvme0n1
      mount /dev/nvme0n1 /tmp/disk
      head -c 4000000 /tmp/nvme >/tmp/disk/file
      umount /tmp/disk
      echo 3 >/proc/sys/vm/drop_caches
      mount /dev/nvme0n1 /tmp/disk
      head -c 4000000 /tmp/nvme | cmp - /tmp/disk/file
      umount /tmp/disk
      echo same
      """;

  @ClassRule public static final TemporaryFolder FOLDER = new TemporaryFolder();
  private static String bundle = "";
  private final boolean ipv6;
  private Path file = Path.of("");
  private boolean begun;

  public NvmeHosts(String program, String options, boolean ipv6) {
    this.ipv6 = ipv6;
    assertEquals("nvme connect", program);
    assertEquals("-i 2 -k 5", options);
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"nvme connect", "-i 2 -k 5", false},
              {"nvme connect", "-i 2 -k 5", true},
            }));
  }

  @BeforeClass
  public static void hasNvme() throws Exception {
    String has =
        Lane.LANE.peer.must(
            "command -v nvme >/dev/null && modprobe nvme-rdma 2>/dev/null && echo yes; true");
    assumeTrue("the peer's image has no nvme: ./ib peer build", has.contains("yes"));
    Path jar = SampleBuild.jar("nvmet");
    bundle = "start " + jar.toUri();
  }

  @Before
  public void serve() throws Exception {
    Lane.LANE.inTime();
    Lane.LANE.meet(ipv6);
    begun = true;
    file = FOLDER.getRoot().toPath().resolve(ipv6 ? "disk6" : "disk4");
    Lane.LANE.run(bundle);
    Lane.LANE
        .shell()
        .runUntil("nvmet:serve " + NQN + " 64 " + file, says -> says.contains("serving " + NQN));
  }

  @After
  public void end() throws Exception {
    if (!begun) {
      return; // skipped, so there is nothing to end
    }
    Lane.LANE.peer.must("nvme disconnect -n " + NQN + " >/dev/null; true");
    assertTrue(Lane.LANE.run("nvmet:end").contains("ended"));
    assertTrue(Lane.LANE.run("nvmet:show").contains(OVER));
    Files.deleteIfExists(file);
  }

  @Test
  public void writesAndReads() throws Exception {
    String mark = Lane.LANE.peer.markKernelLog();
    String at = " -t rdma -s 4420 -a " + (ipv6 ? "fd77::1" : LinuxPeer.HERE);
    String found = Lane.LANE.peer.must("nvme discover" + at);
    assertTrue(found, found.contains("subnqn:  " + NQN + "\n"));
    Lane.LANE.peer.must("nvme connect -n " + NQN + at + " -i 2 -k 5");
    Lane.LANE.peer.must(
        "for i in $(seq 200); do [ -b /dev/nvme0n1 ] && exit 0; sleep 0.1; done; exit 1");
    String[] hashes = Lane.LANE.peer.script("nvme-traffic", TRAFFIC).split("\n");
    assertEquals(hashes[0], hashes[1]);
    assertEquals("what is in the file here", hashes[0].split(" ")[0], hash());
    String files = Lane.LANE.peer.script("nvme-files", FILES).strip();
    assertTrue(files, files.equals("same") || files.equals("none"));
    String shown = Lane.LANE.run("nvmet:show");
    assertTrue(shown, shown.contains("connections 3, refused {}"));
    assertTrue(shown, shown.contains("ready, 2 queues"));
    Lane.LANE.peer.must("nvme disconnect -n " + NQN);
    Lane.LANE.shell().runUntil("nvmet:show", says -> says.contains("connections 0,"));
    for (String line : Lane.LANE.peer.kernelLogSince(mark)) {
      assertTrue(line, !line.matches("(?i).*(error|warn|fail|timeout|timed out|bug|lost).*"));
    }
    assertEquals("", Lane.LANE.peer.must("rdma res show cm_id").strip());
  }

  /** {@return the hash of what the host has written and flushed, as sha256sum prints it} */
  private String hash() throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(MIB << 20);
    try (FileChannel channel = FileChannel.open(file)) {
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
    }
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes.array());
    return HexFormat.of().formatHex(digest);
  }
}
