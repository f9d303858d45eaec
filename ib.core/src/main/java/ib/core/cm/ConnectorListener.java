package ib.core.cm;

import ib.core.verbs.MaySleep;

/** An address and a port where the host listens. */
@FunctionalInterface
public interface ConnectorListener extends AutoCloseable {
  /** Stops to listen. Connections stay, also those that were not accepted yet. */
  @Override
  @MaySleep
  void close();
}
