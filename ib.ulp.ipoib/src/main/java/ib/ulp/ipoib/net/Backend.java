package ib.ulp.ipoib.net;

import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.loop.Parking;
import java.io.IOException;

/**
 * Connects an interface to an IP stack, in this JVM or in the kernel. One backend serves one
 * interface.
 */
public interface Backend {
  /** {@return the sleeper of the interface's loop} */
  Loop.Sleeper sleeper();

  /** Puts the stack on the link, before the link is started. */
  Host attach(Link link);

  /** Releases the backend's resources; called only if opening the interface failed. */
  void close();

  /** Opens a backend for each interface. */
  @FunctionalInterface
  interface Factory {
    /**
     * Opens a backend.
     *
     * @param name of the interface
     * @throws IOException when the kernel refuses the device
     */
    Backend open(String name) throws IOException;
  }

  /**
   * {@return a stack in this JVM that uses addresses at once, without duplicate address detection}
   */
  static Backend inJvm() {
    return inJvm(0);
  }

  /**
   * Returns a stack in this JVM.
   *
   * @param probes how many neighbour solicitations precede the use of an IPv6 address (RFC 4862);
   *     0: none
   */
  static Backend inJvm(int probes) {
    Parking parking = new Parking();
    return new Backend() {
      @Override
      public Loop.Sleeper sleeper() {
        return parking;
      }

      @Override
      public Host attach(Link link) {
        return new NetIf(link, probes);
      }

      @Override
      public void close() {
        // there is nothing to release
      }
    };
  }
}
