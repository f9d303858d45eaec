package ib.driver.rxe;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finds out which process uses a UDP port, as far as Linux shows it to this user. Never throws. */
final class PortOwner {
  private static final int LOCAL = 1;
  private static final int INODE = 9;

  private PortOwner() {}

  /**
   * Names the process that probably uses a port.
   *
   * @param port the UDP port
   * @return a text for users
   */
  static String describe(int port) {
    Set<String> inodes = new HashSet<>();
    for (String table : List.of("/proc/net/udp", "/proc/net/udp6")) {
      inodes.addAll(inodes(Path.of(table), port));
    }
    if (inodes.isEmpty()) {
      return "a process that has closed it since";
    }
    List<String> owners = new ArrayList<>();
    if (inodes.remove("0") || Files.exists(Path.of("/sys/module/rdma_rxe"))) {
      owners.add("the kernel's rdma_rxe, which holds the port for its whole network namespace");
    }
    owners.addAll(processes(inodes));
    return owners.isEmpty()
        ? "a process that this user may not inspect"
        : String.join(", or ", owners);
  }

  private static Set<String> inodes(Path table, int port) {
    Set<String> inodes = new HashSet<>();
    String suffix = String.format(":%04X", port);
    for (String line : lines(table)) {
      String[] words = line.strip().split("\\s+");
      if (words.length > INODE && words[LOCAL].toUpperCase(Locale.ROOT).endsWith(suffix)) {
        inodes.add(words[INODE]);
      }
    }
    return inodes;
  }

  private static List<String> lines(Path table) {
    try {
      return Files.readAllLines(table);
    } catch (IOException e) {
      return List.of(); // not Linux
    }
  }

  private static List<String> processes(Set<String> inodes) {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : all) {
        if (holds(process, inodes)) {
          String name = String.join("", lines(process.resolve("comm")));
          found.add("process " + process.getFileName() + " (" + name + ")");
        }
      }
    } catch (IOException e) {
      found.clear(); // not Linux
    }
    return found;
  }

  private static boolean holds(Path process, Set<String> inodes) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path fd : all) {
        String target = Files.readSymbolicLink(fd).toString();
        if (target.startsWith("socket:[")
            && inodes.contains(target.substring(8, target.length() - 1))) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // this user may not inspect the process, or it has ended
    }
  }
}
