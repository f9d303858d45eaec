package ib.cm;

import ib.core.client.IbClient;
import ib.core.verbs.MaySleep;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The connection manager of a midlayer. In OSGi it is a service; a program without a framework
 * registers one with {@link ib.core.client.IbCore#registerClient}. A protocol on top of it
 * registers its own client with {@link IbClient#AFTER} set to {@link #NAME}, so that its {@code
 * remove} runs while the connection manager still works.
 */
@ProviderType
public interface CmClient extends IbClient {
  /** The name of the client. */
  String NAME = "ib.cm";

  /** {@return a connection manager for a midlayer without a framework} */
  static CmClient create() {
    return ServiceLoader.load(CmClient.class, CmClient.class.getClassLoader())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("ib.cm's jar has lost its META-INF/services"));
  }

  /**
   * Opens a share of the connection manager of a port, whose failures are listed as those of {@link
   * #NAME}; see the other {@code open}.
   *
   * @param device name of the device
   * @param port from 1
   * @return this user's share; the caller closes it
   */
  @MaySleep
  default CmPort open(String device, int port) {
    return open(device, port, NAME);
  }

  /**
   * Opens a share of the connection manager of a port.
   *
   * @param device name of the device
   * @param port from 1
   * @param program name under which {@link #failures} lists connections of the share that fail;
   *     empty for a program that enters them itself, as {@link ib.cm.rdma.RdmaCm} does
   * @return this user's share; the caller closes it
   * @throws ib.core.verbs.IbNoDeviceException when there is no such device
   * @throws ib.core.verbs.IbExistsException when another client has registered the class
   * @throws ib.core.verbs.IbInvalidException when there is no such port
   * @throws ib.core.verbs.IbNotSupportedException when the device has no QP1, and its driver no
   *     connector
   */
  @MaySleep
  CmPort open(String device, int port, String program);

  /** {@return the connections and listeners by address of all programs} */
  @MaySleep
  List<CmId> ids();

  /**
   * Has {@link #ids} list those of one more program; {@link ib.cm.rdma.RdmaCm} calls this.
   *
   * @param program lists them
   * @return close it when the program ends
   */
  Listing list(Supplier<List<CmId>> program);

  /**
   * {@return the latest connections, by address and by service ID, that were not made or have
   * failed, at most 64}
   */
  List<CmFailure> failures();

  /** Enters one of {@link #failures}; {@link ib.cm.rdma.RdmaCm} calls this. */
  void failed(CmFailure failure);

  /** {@return the local ports of the connections that all programs have begun} */
  LocalPorts localPorts();

  /** A program's part of {@link #ids}. */
  interface Listing extends AutoCloseable {
    @Override
    void close();
  }
}
