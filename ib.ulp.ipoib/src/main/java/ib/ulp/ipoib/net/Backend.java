package ib.ulp.ipoib.net;

import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.loop.Parking;
import java.io.IOException;

/** Where the IP stack of an interface is. */
public interface Backend {
  /** {@return how the interface's thread sleeps} */
  Loop.Sleeper sleeper();

  /** Puts the stack on the link, which is not started yet. */
  Host attach(Link link);

  /** Gives up what was made, when there is no interface after all. */
  void close();

  /** Makes one for each interface. */
  @FunctionalInterface
  interface Factory {
    /**
     * Makes one.
     *
     * @param name of the interface
     * @throws IOException when the kernel refuses
     */
    Backend open(String name) throws IOException;
  }

  /** A stack in this JVM that uses addresses without asking for them first. */
  static Backend inJvm() {
    return inJvm(0);
  }

  /**
   * A stack in this JVM.
   *
   * @param probes how often an IPv6 address is asked for before it is used
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
        // nothing was made
      }
    };
  }
}
