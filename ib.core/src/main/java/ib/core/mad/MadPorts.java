package ib.core.mad;

import ib.core.verbs.MaySleep;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A device whose ports have a MAD layer: the handle that the core gives a client. Programs call
 * {@link MadAgent#register}.
 */
@ProviderType
public interface MadPorts {
  /**
   * Registers an agent that belongs to the client of this handle.
   *
   * @param port from 1
   * @param what what the agent is for
   * @param handler called for what arrives
   * @return the agent
   * @see MadAgent#register the errors
   */
  @MaySleep
  MadAgent registerAgent(int port, MadRegistration what, MadHandler handler);
}
