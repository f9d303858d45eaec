package ib.core.serial;

import ib.core.verbs.AnyContext;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A device whose midlayer has a wait-for graph: the handle that the core gives a client. Programs
 * call {@link Waits#of}.
 */
@ProviderType
public interface WaitingDevice {
  /** {@return the wait-for graph of the midlayer} */
  @AnyContext
  Waits waits();
}
