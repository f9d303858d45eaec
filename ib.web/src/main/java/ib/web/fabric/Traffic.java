package ib.web.fabric;

/** Knows how much traffic a port of this runtime has. */
@FunctionalInterface
public interface Traffic {
  /**
   * {@return bytes per second, sent and received together, over the last second; -1 when not known}
   *
   * @param device device name
   * @param port from 1
   */
  double bytesPerS(String device, int port);
}
