package ib.cm.rdma;

import ib.core.verbs.IbInvalidException;
import java.util.concurrent.ThreadLocalRandom;

/** The port spaces of RDMA CM: each has its own 65,535 ports (IBA annex A11). */
public enum PortSpace {
  /** Connections; what rping, perftest and NVMe use. */
  TCP(0x0106),
  /** Any kind of queue pair. */
  IB(0x013F);

  private static final int PORT_BITS = 16;
  private static final int MAX_PORT = 0xffff;
  private static final int FIRST_EPHEMERAL = 32_768; // Linux's net.ipv4.ip_local_port_range
  private static final int LAST_EPHEMERAL = 60_999;

  private final long prefix;

  PortSpace(long prefix) {
    this.prefix = prefix;
  }

  /**
   * {@return the service ID of a port}
   *
   * @param port 1 to 65535
   * @throws IbInvalidException for any other port
   */
  public long serviceId(int port) {
    if (port < 1 || port > MAX_PORT) {
      throw new IbInvalidException("port " + port, "no port of " + this, "1 to " + MAX_PORT);
    }
    return prefix << PORT_BITS | port;
  }

  /** {@return a random port of those that programs do not choose (RD-5)} */
  static int ephemeral() {
    return ThreadLocalRandom.current().nextInt(FIRST_EPHEMERAL, LAST_EPHEMERAL + 1);
  }

  /** {@return the port of a service ID} */
  static int port(long serviceId) {
    return (int) serviceId & MAX_PORT;
  }
}
