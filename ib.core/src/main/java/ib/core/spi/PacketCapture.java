package ib.core.spi;

import ib.core.verbs.AnyContext;
import ib.core.verbs.MaySleep;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/**
 * Lets the packets of a device be watched: a service that a driver registers for each device while
 * it is plugged in, with the service property {@link DeviceSlot#DEVICE_NAME}. {@code ib:capture}
 * reaches drivers through it.
 *
 * <p>A capture is a stream in pcapng: ERF records of type InfiniBand (link type 197) for InfiniBand
 * links, Ethernet frames (link type 1) for RoCE, with a comment on each packet that tells what the
 * device made of it, and with the device's own queue pair, which sent the packet or was sent it, as
 * its queue ({@code epb_queue}; in Wireshark {@code frame.interface_queue}): packets of a
 * connection carry only the number of the queue pair that they are sent to. While one runs, every
 * packet is a real one of at most the path MTU. Watching never slows the data path: what the sink
 * does not take in time is left out and counted.
 */
public interface PacketCapture {

  /**
   * Which packets are wanted; all conditions hold.
   *
   * @param port from 1, or 0 for all
   * @param qpn a queue pair that sends or is sent to, 24 bits, or -1 for all
   * @param opcode BTH opcode, 8 bits, or -1 for all
   */
  record Filter(int port, int qpn, int opcode) {
    /** Everything. */
    public static final Filter ALL = new Filter(0, -1, -1);
  }

  /** A capture that was started. */
  interface Session extends AutoCloseable {
    /** {@return packets given to the sink so far} */
    @AnyContext
    long written();

    /** {@return packets left out because the sink was too slow} */
    @AnyContext
    long dropped();

    /** {@return whether it goes on; false after the sink has failed or the device has gone} */
    @AnyContext
    boolean running();

    /** {@return why the sink failed} */
    @AnyContext
    Optional<String> failure();

    /** Writes what was captured so far, then closes the sink. */
    @Override
    @MaySleep
    void close();
  }

  /** {@return the name of the device} */
  String device();

  /**
   * Starts a capture.
   *
   * @param sink where the stream goes; written by a thread of the driver, and closed at the end
   * @param filter which packets
   * @return the capture, until it is closed
   * @throws ib.core.verbs.IbExistsException when one is running already
   */
  @MaySleep
  Session start(WritableByteChannel sink, Filter filter);

  /** {@return the capture that is running} */
  @AnyContext
  Optional<Session> running();
}
