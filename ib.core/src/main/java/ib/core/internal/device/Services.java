package ib.core.internal.device;

import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadRegistration;
import ib.core.sa.SaClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNotSupportedException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The services of a device's built-in clients for its handles, while these clients are added. */
public final class Services {
  /** The MAD layer on one device. */
  public interface Mad {
    /**
     * Registers an agent.
     *
     * @param owner the client's handle
     * @param port from 1
     * @param what QP, class, methods
     * @param handler hears requests
     * @return the agent
     */
    MadAgent register(IbDevice owner, int port, MadRegistration what, MadHandler handler);

    /**
     * Closes all agents of a handle.
     *
     * @param owner the client's handle
     */
    void close(IbDevice owner);

    /**
     * Returns the counters of the layer.
     *
     * @param port from 1
     * @return name to value
     */
    Map<String, Long> counters(int port);
  }

  /** The SA layer on one device. */
  public interface Sa {
    /**
     * Opens the way to the subnet administrator.
     *
     * @param owner the client's handle
     * @param port from 1
     * @return the client side
     */
    SaClient open(IbDevice owner, int port);

    /**
     * Closes all that a handle has opened.
     *
     * @param owner the client's handle
     */
    void close(IbDevice owner);
  }

  private volatile @Nullable Mad mad;
  private volatile @Nullable Sa sa;

  /** No service is there yet. */
  public Services() {}

  /**
   * The MAD layer comes or goes.
   *
   * @param layer the layer, or null
   */
  public void mad(@Nullable Mad layer) {
    mad = layer;
  }

  /**
   * The SA layer comes or goes.
   *
   * @param layer the layer, or null
   */
  public void sa(@Nullable Sa layer) {
    sa = layer;
  }

  Mad mad(IbDevice device) {
    return there(mad, device, "MAD");
  }

  Sa sa(IbDevice device) {
    return there(sa, device, "SA");
  }

  private static <T> T there(@Nullable T layer, IbDevice device, String name) {
    if (layer == null) {
      throw new IbNotSupportedException(
          name + " on " + device.name(),
          "the " + name + " layer is not on this device: no port has general services",
          "IbDevice.has(Cap.GSI)");
    }
    return layer;
  }

  /**
   * Returns the counters of the MAD layer.
   *
   * @param port from 1
   * @return name to value; empty without the layer
   */
  Map<String, Long> counters(int port) {
    Mad m = mad;
    return m == null ? Map.of() : m.counters(port);
  }

  /** Ends what a handle still has. */
  void close(IbDevice owner) {
    Sa s = sa;
    if (s != null) {
      s.close(owner);
    }
    Mad m = mad;
    if (m != null) {
      m.close(owner);
    }
  }
}
