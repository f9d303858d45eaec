package ib.health.internal;

import ib.core.client.LocalServices;
import ib.health.Finding;
import ib.health.Health;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import org.apache.felix.hc.api.FormattingResultLog;
import org.apache.felix.hc.api.HealthCheck;
import org.apache.felix.hc.api.Result;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Registers a Felix health check for each check of {@link Health}: {@code hc.name} is "ib" and the
 * check's name, {@code hc.tags} are {@code ib} and the check's name. A warning is WARN, a failure
 * is CRITICAL.
 */
@Component(service = HealthChecks.class, immediate = true)
public final class HealthChecks {
  private final Health health;
  private final List<ServiceRegistration<HealthCheck>> registrations = new ArrayList<>();

  /**
   * Called by DS.
   *
   * @param health looks at everything
   * @param context of this bundle
   */
  @Activate
  public HealthChecks(
      @Reference(target = LocalServices.ONLY) Health health, BundleContext context) {
    this.health = health;
    for (String check : Health.CHECKS) {
      Hashtable<String, Object> properties = new Hashtable<>();
      properties.put(HealthCheck.NAME, "ib " + check);
      properties.put(HealthCheck.TAGS, new String[] {"ib", check});
      registrations.add(
          context.registerService(HealthCheck.class, () -> execute(check), properties));
    }
  }

  private Result execute(String check) {
    FormattingResultLog log = new FormattingResultLog();
    for (Finding finding : health.examine()) {
      if (finding.check().equals(check)) {
        String hint = finding.instead().isEmpty() ? "" : "; try: " + finding.instead();
        String text = finding.text() + hint;
        switch (finding.verdict()) {
          case OK -> log.info("{}", text);
          case WARN -> log.warn("{}", text);
          case FAIL -> log.critical("{}", text);
        }
      }
    }
    return new Result(log);
  }

  /** Called by DS. */
  @Deactivate
  public void stop() {
    registrations.forEach(ServiceRegistration::unregister);
  }
}
