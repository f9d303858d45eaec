package ib.tools.perftest;

import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import org.jspecify.annotations.Nullable;

/**
 * The services that runs use.
 *
 * @param core the devices
 * @param byAddress runs tests whose ends meet by RDMA CM; null without a connection manager
 */
public record Midlayer(IbCore core, @Nullable ByAddress byAddress) {
  /**
   * {@return what runs tests whose ends meet by RDMA CM}
   *
   * @throws CommandException without a connection manager
   */
  ByAddress connected(String program) {
    if (byAddress == null) {
      throw new CommandException(
          program + ": -R and -z need the connection manager: start the bundle ib.cm");
    }
    return byAddress;
  }
}
