package ib.ulp.ipoib.tap;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * Where a device of the kernel is now, and what it is called there: somebody may have moved it into
 * another network namespace, and given it another name. On the loop.
 */
final class Whereabouts {
  private static final int CLONE_NEWNET = 0x4000_0000;
  private static final long TUNGETIFF = 0x800454d2L;
  private static final long TUNGETDEVNETNS = 0x54e3;

  private Whereabouts() {}

  /**
   * Writes the device's name to the beginning of a request about interfaces, over zeros.
   *
   * @return below 0 when the kernel has taken it away
   */
  static int name(TapDevice device, MemorySegment request) {
    request.fill((byte) 0);
    return device.libc().ioctl(device.fd(), TUNGETIFF, request.address());
  }

  /**
   * Makes a socket where the device is. A thread that went there for it does not come back.
   *
   * @param maker makes it where the calling thread is; below 0 for none
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
      while (visitor.isAlive()) { // not for long: it makes two calls that do not wait
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
      return false; // nobody tells: going there does no harm
    }
  }
}
