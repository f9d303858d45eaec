package ib.core.cm;

import ib.core.verbs.AnyContext;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A device that may have a connector: the handle that the core gives a client. Programs call {@link
 * Connector#of}.
 */
@ProviderType
public interface ConnectorDevice {
  /** {@return the connector; empty on a device that has QP1, and where the host has none} */
  @AnyContext
  Optional<Connector> connector();
}
