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
    return device.libc().ioctl(device.fd(), TUNGETIFF, request.address());
  }

  /**
   * Opens a socket in the device's network namespace. If that is another namespace, a short-lived
   * thread enters it and opens the socket; this method waits for the thread.
   *
   * @param maker opens the socket in the calling thread's namespace; returns a value below 0 on
   *     failure
   * @return the socket; below 0 on failure
   */
  static int socket(TapDevice device, IntSupplier maker) {
    Libc libc = device.libc();
    int there = libc.ioctl(device.fd(), TUNGETDEVNETNS, 0); // below 0 before Linux 5.2
    try {
      if (there < 0 || here(there)) {
        return maker.getAsInt();
      }
      int[] made = {-1};
      Thread visitor =
          Thread.ofPlatform()
              .name("ipoib-" + device.name() + "-visitor")
              .start(() -> made[0] = libc.setns(there, CLONE_NEWNET) < 0 ? -1 : maker.getAsInt());
      boolean interrupted = false;
      while (visitor.isAlive()) { // the thread makes two system calls that do not block
        try {
          visitor.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return made[0];
    } finally {
      if (there >= 0) {
        libc.close(there);
      }
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
