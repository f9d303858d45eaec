package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbExistsException;
import ib.driver.base.Announcer;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import ib.driver.base.Settings;
import ib.driver.verbs.object.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 17: which devices of the host become devices of ib, and under which names")
final class HostDevicesTest {
  @TempDir private Path root;

  private final BlockingQueue<String> opened = new LinkedBlockingQueue<>();
  private final List<String> log = new CopyOnWriteArrayList<>();
  private Devices<VerbsConfig> devices;
  private HostDevices host;

  @BeforeEach
  void create() throws IOException {
    device("rxe0", 0);
    device("mlx5_0", 1);
    devices =
        new Devices<>(
            VerbsReader::read,
            this::open,
            new Others(),
            (text, why) -> log.add(VerbsDriver.sentence(text, why)));
    host = new HostDevices(new Sysfs(root, root.resolve("dev")), devices, text -> {});
  }

  @AfterEach
  void stop() {
    devices.stop();
  }

  private void device(String name, int number) throws IOException {
    Path folder = root.resolve("infiniband_verbs").resolve("uverbs" + number);
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("ibdev"), name + "\n");
  }

  /** What is opened is written down; this machine has no such device. */
  private Plugged<VerbsConfig> open(VerbsConfig config) {
    opened.add(config.name() + " = " + config.device());
    throw new IbAgainException("device " + config.name(), "not on this machine", "");
  }

  /** A bundle of another driver has a device of the name rxe0. */
  private static final class Others implements Announcer<VerbsConfig> {
    @Override
    public Optional<IbExistsException> conflict(String pid, VerbsConfig config) {
      return config.name().equals("rxe0")
          ? Optional.of(Devices.inUse(pid, Settings.NAME, "rxe0", "device rxe0 of ib.driver.rxe"))
          : Optional.empty();
    }

    @Override
    public Offer offer(DeviceSlot slot) {
      return new Offer() {
        @Override
        public void plugged(boolean in) {}

        @Override
        public void end() {}
      };
    }

    @Override
    public Runnable announce(Plugged<VerbsConfig> device) {
      throw new AssertionError("none can be opened here");
    }
  }

  private String opened() throws InterruptedException {
    return String.valueOf(opened.poll(10, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName(
      "bad input: another bundle has a device of that name: one sentence says whose, and what"
          + " renames it; the others come")
  void sameName() throws InterruptedException {
    host.select(VerbsReader.selection(Map.of()));
    assertEquals("mlx5_0 = mlx5_0", opened());
    List<String> refused = log.stream().filter(t -> t.contains("in use")).toList();
    assertEquals(1, refused.size(), log.toString());
    String text = refused.getFirst();
    assertTrue(text.contains("'rxe0', in use by device rxe0 of ib.driver.rxe"), text);
    assertTrue(text.contains("the device stays absent"), text);
    assertTrue(text.endsWith("'prefix' in conf/ib.driver.verbs.cfg renames it"), text);
    log.clear();
    host.select(VerbsReader.selection(Map.of("prefix", "host-")));
    Set<String> both = Set.of(opened(), opened());
    assertEquals(Set.of("host-rxe0 = rxe0", "host-mlx5_0 = mlx5_0"), both);
    assertTrue(log.stream().noneMatch(t -> t.contains("in use")), log.toString());
  }

  @Test
  @DisplayName("V1, V2: what is wanted are the devices that the host has and a pattern selects")
  void wanted() throws IOException {
    assertFalse(host.look(), "without a configuration nothing is selected");
    assertEquals(Set.of(), host.names());
    host.select(VerbsReader.selection(Map.of("devices", "*, !rxe0")));
    assertEquals(Set.of("mlx5_0"), host.names());
    device("mlx5_1", 2);
    assertTrue(host.look());
    assertEquals(Set.of("mlx5_0", "mlx5_1"), host.names());
    Files.delete(root.resolve("infiniband_verbs").resolve("uverbs1").resolve("ibdev"));
    assertTrue(host.look());
    assertEquals(Set.of("mlx5_1"), host.names());
    assertFalse(host.look());
  }
}
