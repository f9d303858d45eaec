package ib.bench.net;

import ib.core.verbs.IbDevice;
import ib.driver.rxe.udp.UdpCounter;

/** A RoCEv2 device of ours. */
interface Node extends AutoCloseable {
  /** {@return the device} */
  IbDevice device();

  /** {@return the index of its first GID} */
  int gidIndex();

  /** What the driver does once a second, where the measured thread has to do it. */
  default void look() {}

  /** {@return a counter of its sockets; 0 where it is not to be had} */
  default long counter(UdpCounter which) {
    return 0;
  }

  /** {@return all counters, as text} */
  default String counters() {
    return "";
  }

  @Override
  void close();
}
