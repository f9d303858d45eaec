package ib.tools;

import ib.core.client.LocalServices;
import ib.health.Health;
import ib.tools.doctor.Doctor;
import ib.tools.getopt.Getopt;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The commands of scope {@code ib} that look at the whole runtime; see {@link IbCommands}. */
@Component(service = DoctorCommands.class)
@GogoCommand(
    scope = "ib",
    function = {"doctor", "metrics"})
public final class DoctorCommands {
  private final Health health;

  /**
   * Called by DS.
   *
   * @param health of the bundle {@code ib.health}, without which these commands are not there
   */
  @Activate
  public DoctorCommands(@Reference(target = LocalServices.ONLY) Health health) {
    this.health = health;
  }

  /**
   * Looks at everything that can be wrong.
   *
   * @param args see {@link Doctor}
   * @return the value
   */
  @Descriptor("looks at everything that can be wrong, and says what to do")
  public @Nullable Object doctor(@Descriptor("[-j]") String... args) {
    return Invocation.run(() -> Doctor.run(health, args));
  }

  /**
   * Prints all counters and states for Prometheus.
   *
   * @param args none
   * @return the text, see {@link Health#writeMetrics}
   */
  @Descriptor("all counters and states in the text format of Prometheus")
  public @Nullable Object metrics(@Descriptor("") String... args) {
    return Invocation.run(() -> metricsOf(args));
  }

  private String metricsOf(String... args) {
    new Getopt("ib:metrics", "Usage: ib:metrics").parse(args).atMost(0);
    return health.writeMetrics().stripTrailing();
  }
}
