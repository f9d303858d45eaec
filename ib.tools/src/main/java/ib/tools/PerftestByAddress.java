package ib.tools;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.tools.perftest.ByAddress;
import ib.tools.perftest.CmRuns;
import ib.tools.perftest.Perftest;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Lets {@link PerftestCommands} have {@code -R} and {@code -z} while ib.cm is there. */
@Component(service = ByAddress.class)
public final class PerftestByAddress implements ByAddress {
  private final ByAddress runs;

  /**
   * Called by DS.
   *
   * @param core the core
   * @param cm the connection manager
   */
  @Activate
  public PerftestByAddress(
      @Reference(target = LocalServices.ONLY) IbCore core,
      @Reference(target = LocalServices.ONLY) CmClient cm) {
    runs = new CmRuns(core, cm);
  }

  @Override
  public void run(Perftest run) {
    runs.run(run);
  }
}
