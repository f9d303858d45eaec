package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbException;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.object.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 17, bad input: one sentence each that says what to do")
final class RefusalsTest {
  private static final VerbsConfig CONFIG = new VerbsConfig("verbs0", "rxe0", 0);

  private static void says(IbException e, String... words) {
    for (String word : words) {
      assertTrue(e.getMessage().contains(word), e.getMessage());
    }
  }

  @Test
  @DisplayName("no libibverbs: what to install")
  void noLibrary() {
    says(
        assertThrows(IbException.class, () -> Libibverbs.load("libibverbs-absent.so.1")),
        "this host has no libibverbs-absent.so.1",
        "apt install libibverbs1 ibverbs-providers");
  }

  @Test
  @DisplayName("an old libibverbs: which functions it lacks")
  void oldLibrary() {
    says(
        assertThrows(IbException.class, () -> Libibverbs.load("libc.so.6")),
        "too old",
        "ibv_reg_mr_iova2",
        "rdma-core 33 or newer");
  }

  private static Path device(Path root, String name) throws IOException {
    Path device = root.resolve("infiniband_verbs").resolve("uverbs0");
    Files.createDirectories(device);
    Files.createDirectories(root.resolve("infiniband").resolve(name));
    Files.writeString(device.resolve("ibdev"), name + "\n");
    return device;
  }

  private static Sysfs sysfs(Path root) {
    return new Sysfs(root, root.resolve("dev"));
  }

  private static void assumeLibrary() {
    assumeTrue(
        Files.exists(Path.of("/usr/lib/x86_64-linux-gnu", Libibverbs.NAME))
            || Files.exists(Path.of("/usr/lib64", Libibverbs.NAME)),
        "libibverbs is not installed: apt install libibverbs1");
  }

  private static IbException plug(Path root) {
    assumeLibrary();
    List<String> log = new ArrayList<>();
    Libraries libraries = new Libraries(Libibverbs.NAME);
    return assertThrows(
        IbException.class, () -> VerbsDevice.plug(CONFIG, libraries, sysfs(root), log::add));
  }

  @Test
  @DisplayName("no such device: how to see those that there are")
  void noDevice(@TempDir Path root) {
    says(plug(root), "device verbs0", "the host has no RDMA device rxe0 now", "rdma link");
  }

  @Test
  @DisplayName("a device without ib_uverbs: the module to load")
  void noUverbs(@TempDir Path root) throws IOException {
    Files.createDirectories(root.resolve("infiniband").resolve("rxe0"));
    says(plug(root), "offers it to no user program", "modprobe ib_uverbs");
  }

  @Test
  @DisplayName("a device that libibverbs does not list: the package of the provider")
  void noProvider(@TempDir Path root) throws IOException {
    device(root, "rxe0");
    IbException e = plug(root); // this machine's libibverbs knows no such device
    assertTrue(
        e.getMessage().contains("apt install ibverbs-providers")
            || e.getMessage().contains("modprobe ib_uverbs"),
        e.getMessage());
  }

  @Test
  @DisplayName("V2: a device that was replaced by another of its name differs from it")
  void identity(@TempDir Path root) throws IOException {
    Path device = device(root, "rxe0");
    Sysfs sysfs = sysfs(root);
    Sysfs.Entry before = sysfs.devices().get("rxe0");
    assertEquals(before, sysfs.devices().get("rxe0"));
    Files.move(device, device.resolveSibling("uverbs1"));
    assertFalse(before.equals(sysfs.devices().get("rxe0")));
    Files.delete(root.resolve("infiniband_verbs").resolve("uverbs1").resolve("ibdev"));
    assertTrue(sysfs.devices().isEmpty(), "one that is going is not there");
  }

  /** {@return the refusal for an error number of ibv_open_device} */
  private static IbException denied(Path root, int errno) throws IOException {
    assumeLibrary();
    device(root, "rxe0");
    Sysfs sysfs = sysfs(root);
    Sysfs.Entry entry = sysfs.devices().get("rxe0");
    return VerbsDevice.denied(CONFIG, Libibverbs.load(Libibverbs.NAME), sysfs, entry, errno);
  }

  @Test
  @DisplayName("no right, no file, no module: which file, and what to do; the slot tries again")
  void denied(@TempDir Path root) throws IOException {
    IbException right = denied(root, Libc.EACCES);
    says(right, "may not open", "dev/uverbs0", "add the user to the group of the file");
    assertInstanceOf(IbAgainException.class, right);
    says(denied(root, Libc.ENOENT), "dev/uverbs0 is not there", "--device /dev/infiniband");
    says(denied(root, Libc.ENOSYS), "offers no RDMA to programs", "modprobe ib_uverbs");
    says(denied(root, Libc.EBUSY), "libibverbs cannot open it", "dmesg");
  }

  @Test
  @DisplayName("a device that goes in the middle of open: that it has gone; else its provider")
  void vanishes(@TempDir Path root) throws IOException {
    assumeLibrary();
    Path device = device(root, "rxe0");
    Sysfs sysfs = sysfs(root);
    Sysfs.Entry entry = sysfs.devices().get("rxe0");
    Libibverbs library = Libibverbs.load(Libibverbs.NAME);
    says(
        VerbsDevice.denied(CONFIG, library, sysfs, entry, Libc.ENODEV),
        "no provider for rxe0",
        "apt install ibverbs-providers");
    Files.delete(device.resolve("ibdev"));
    says(
        VerbsDevice.denied(CONFIG, library, sysfs, entry, Libc.ENODEV),
        "rxe0 has gone while it was opened");
  }
}
