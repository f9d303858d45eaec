package ib.tools;

import ib.core.client.LocalServices;
import ib.health.Health;
import ib.tools.doctor.Doctor;
import ib.tools.getopt.Getopt;
import ib.tools.osgi.CommandService;
import ib.tools.shell.Catalogue;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** The commands of scope {@code ib} that look at the whole runtime; see {@link IbCommands}. */
@Component(service = DoctorCommands.class, immediate = true)
public final class DoctorCommands {
  private final Health health;
  private final CommandService service = new CommandService();

  /**
   * Called by DS.
   *
   * @param health of the bundle {@code ib.health}, without which these commands are not there
   */
  @Activate
  public DoctorCommands(@Reference(target = LocalServices.ONLY) Health health) {
    this.health = health;
  }

  @Activate
  void activate(BundleContext context) {
    CommandTable table = commands();
    service.open(context, table, table.names());
  }

  @Deactivate
  void deactivate() {
    service.close();
  }

  /** {@return the table} */
  CommandTable commands() {
    return new CommandTable(Catalogue.OWN)
        .command("doctor [-j]", "looks at everything that can be wrong, and says what to do")
        .runs((_, args) -> Doctor.run(health, args))
        .command("metrics", "all counters and states in the text format of Prometheus")
        .runs((_, args) -> metrics(args));
  }

  private String metrics(String... args) {
    new Getopt("ib:metrics", "Usage: ib:metrics").parse(args).atMost(0);
    return health.writeMetrics().stripTrailing();
  }
}
