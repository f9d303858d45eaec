package ib.core.sa;

import ib.core.verbs.MaySleep;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A device whose ports know a subnet administrator: the handle that the core gives a client.
 * Programs call {@link SaClient#open}.
 */
@ProviderType
public interface SaPorts {
  /**
   * Opens the subnet administrator of a port for the client of this handle.
   *
   * @param port from 1
   * @return the subnet administrator as this port sees it
   * @see SaClient#open the errors
   */
  @MaySleep
  SaClient openSa(int port);
}
