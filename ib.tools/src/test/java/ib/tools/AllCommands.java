package ib.tools;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.health.Finding;
import ib.health.Health;
import java.util.List;

/** The tables of all components. */
final class AllCommands {
  private AllCommands() {}

  static List<CommandTable> of(IbCore core) {
    return List.of(
        new IbCommands(core).commands(),
        new RdmaCmCommands(core, CmClient.create()).commands(),
        new DoctorCommands(new Unasked()).commands(),
        ShellCommands.lessons(
            () -> {
              throw new UnsupportedOperationException("no lesson runs");
            }));
  }

  /** The checks of a runtime in which none runs. */
  private static final class Unasked implements Health {
    @Override
    public List<Finding> examine() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String writeMetrics() {
      throw new UnsupportedOperationException();
    }
  }
}
