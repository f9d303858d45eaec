package ib.tools;

import ib.core.client.IbCore;
import ib.tools.diags.Ibstat;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The commands of scope {@code ib} that infiniband-diags has; see {@link IbCommands}. */
@Component(service = DiagsCommands.class)
@GogoCommand(
    scope = "ib",
    function = {"ibstat", "ibstatus"})
public final class DiagsCommands {
  private final IbCore core;

  /**
   * Made by DS.
   *
   * @param core the midlayer
   */
  @Activate
  public DiagsCommands(@Reference IbCore core) {
    this.core = core;
  }

  /**
   * Shows adapters.
   *
   * @param args see {@link Ibstat#ibstat}
   * @return the value
   */
  @Descriptor("adapters and their ports, as libibumad sees them")
  public Object ibstat(@Descriptor("[-l] [-s] [-p] [-j] [dev [port]]") String... args) {
    return Ibstat.ibstat(core, args);
  }

  /**
   * Shows ports.
   *
   * @param args see {@link Ibstat#ibstatus}
   * @return the value
   */
  @Descriptor("state, LID and rate of each port, as sysfs has them")
  public Object ibstatus(@Descriptor("[dev[:port]]...") String... args) {
    return Ibstat.ibstatus(core, args);
  }
}
