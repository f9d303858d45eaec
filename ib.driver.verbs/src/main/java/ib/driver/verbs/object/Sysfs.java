package ib.driver.verbs.object;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The files in which the kernel tells of its RDMA devices. Any thread may call. */
public final class Sysfs {
  private final Path system;
  private final Path nodes;

  /**
   * Names the folders.
   *
   * @param system {@code /sys/class} outside of tests
   * @param nodes {@code /dev/infiniband} outside of tests
   */
  public Sysfs(Path system, Path nodes) {
    this.system = system;
    this.nodes = nodes;
  }

  /** {@return the files of this host} */
  public static Sysfs ofHost() {
    return new Sysfs(Path.of("/sys/class"), Path.of("/dev/infiniband"));
  }

  /**
   * A device.
   *
   * @param name its name, for example {@code rxe0}
   * @param node its file in {@code /dev/infiniband}, for example {@code uverbs0}
   * @param identity differs between a device and a later one of the same name
   */
  public record Entry(String name, String node, String identity) {}

  /** {@return the devices that user programs can open, by name} */
  public Map<String, Entry> devices() {
    Map<String, Entry> found = new TreeMap<>();
    Path folder = system.resolve("infiniband_verbs");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "uverbs*")) {
      for (Path device : all) {
        entry(device).ifPresent(e -> found.put(e.name, e));
      }
    } catch (NoSuchFileException e) {
      return Map.of(); // the module ib_uverbs is not loaded
    } catch (IOException e) {
      return found; // a device went while the folder was read; the next look follows soon
    }
    return found;
  }

  private static Optional<Entry> entry(Path device) {
    try {
      String name = Files.readString(device.resolve("ibdev")).strip();
      BasicFileAttributes a = Files.readAttributes(device, BasicFileAttributes.class);
      String node = device.getFileName().toString();
      return Optional.of(new Entry(name, node, node + " " + a.fileKey() + " " + a.creationTime()));
    } catch (IOException e) {
      return Optional.empty(); // it went meanwhile
    }
  }

  /** {@return the file of the kernel's connection manager} */
  public Path connectionManager() {
    return nodes.resolve("rdma_cm");
  }

  /** {@return the index of the network interface of a device's first port; 0 when it has none} */
  public int interfaceOf(String name) {
    Path first = Path.of("infiniband", name, "ports", "1", "gid_attrs", "ndevs", "0");
    try {
      NetworkInterface of =
          NetworkInterface.getByName(Files.readString(system.resolve(first)).strip());
      return of == null ? 0 : of.getIndex();
    } catch (IOException e) {
      return 0; // the device has gone, or is none of Ethernet
    }
  }

  /** {@return whether the kernel has a device of that name, which user programs may not reach} */
  public boolean knows(String name) {
    return Files.exists(system.resolve("infiniband").resolve(name));
  }

  /**
   * Returns the GUID of a device.
   *
   * @param name its name
   * @return the GUID; empty when there is none
   */
  public Optional<Long> guid(String name) {
    Path file = system.resolve("infiniband").resolve(name).resolve("node_guid");
    try {
      return Optional.of(
          Long.parseUnsignedLong(Files.readString(file).strip().replace(":", ""), 16));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** {@return the file of a device, and who may open it, for a person} */
  public String node(Entry entry) {
    Path file = nodes.resolve(entry.node);
    try {
      PosixFileAttributes a = Files.readAttributes(file, PosixFileAttributes.class);
      return file + " (group " + a.group().getName() + ")";
    } catch (IOException e) {
      return file.toString();
    }
  }

  /** {@return the hardware counters of a port, in the order of their names} */
  Map<String, Long> counters(String name, int port) {
    Map<String, Long> counters = new TreeMap<>();
    Path ports = system.resolve("infiniband").resolve(name).resolve("ports");
    Path folder = ports.resolve(String.valueOf(port)).resolve("hw_counters");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path file : all) {
        String counter = file.getFileName().toString();
        if (!counter.equals("lifespan")) {
          counters.put(counter, Long.parseLong(Files.readString(file).strip()));
        }
      }
    } catch (IOException | NumberFormatException e) {
      return counters; // the device has none, or has gone
    }
    return counters;
  }
}
