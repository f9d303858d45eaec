package ib.ulp.ipoib.tap;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * Finds the present name and network namespace of a device of the kernel, which users may have
 * renamed or moved. Used on the loop's thread only.
 */
final class Whereabouts {
  private static final int CLONE_NEWNET = 0x4000_0000;
  private static final long TUNGETIFF = 0x800454d2L;
  private static final long TUNGETDEVNETNS = 0x54e3;

  private Whereabouts() {}

  /**
   * Writes the device's present name to the beginning of a cleared ifreq.
   *
   * @return below 0 when the kernel has removed the device
   */
  static int name(TapDevice device, MemorySegment request) {
    request.fill((byte) 0);
    return device.libc.ioctl(device.fd(), TUNGETIFF, request.address());
  }

  /**
   * Opens a socket in the device's network namespace. If that is another namespace, a short-lived
   * thread enters it and opens the socket; this method waits for the thread.
   *
   * @param maker opens the socket in the calling thread's namespace; returns a value below 0 on
   *     failure
   * @return the socket
   * @throws SystemCallException when the namespace cannot be entered, or the socket not be opened
   */
  static int socket(TapDevice device, IntSupplier maker) throws SystemCallException {
    Libc libc = device.libc;
    int there = libc.ioctl(device.fd(), TUNGETDEVNETNS, 0); // below 0 before Linux 5.2
    try {
      if (there < 0 || here(there)) {
        return libc.check(maker.getAsInt(), "socket");
      }
      int[] results = {-1, -1}; // of setns(2), and of the maker
      visit(
          device.name,
          () -> {
            results[0] = libc.setns(there, CLONE_NEWNET);
            results[1] = results[0] < 0 ? -1 : maker.getAsInt();
          });
      libc.check(results[0], "setns to the network namespace of " + device.name);
      return libc.check(results[1], "socket in the network namespace of " + device.name);
    } finally {
      if (there >= 0) {
        libc.close(there); // after the checks: this call has an errno of its own
      }
    }
  }

  /** Runs two system calls that do not block on a thread of its own, and waits for it. */
  private static void visit(String device, Runnable calls) {
    Thread visitor = Thread.ofPlatform().name("ipoib-" + device + "-visitor").start(calls);
    boolean interrupted = false;
    while (visitor.isAlive()) {
      try {
        visitor.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean here(int namespace) {
    try {
      Path there = Files.readSymbolicLink(Path.of("/proc/self/fd/" + namespace));
      return there.equals(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
    } catch (IOException e) {
      return false; // unknown: entering the same namespace does no harm
    }
  }
}
