package ib.tools;

import ib.core.client.IbCore;
import ib.core.spi.DeviceSlot;
import ib.tools.doctor.Doctor;
import java.util.Arrays;
import java.util.List;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** The command of scope {@code ib} that looks at the whole runtime; see {@link IbCommands}. */
@Component(service = DoctorCommands.class)
@GogoCommand(
    scope = "ib",
    function = {"doctor"})
public final class DoctorCommands {
  private final IbCore core;
  private final BundleContext context;

  @Reference(
      cardinality = ReferenceCardinality.MULTIPLE,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  private volatile List<DeviceSlot> slots = List.of();

  /**
   * Called by DS.
   *
   * @param core the core
   * @param context of this bundle, which sees all bundles
   */
  @Activate
  public DoctorCommands(@Reference IbCore core, BundleContext context) {
    this.core = core;
    this.context = context;
  }

  /**
   * Looks at everything that can be wrong.
   *
   * @param args see {@link Doctor}
   * @return the value
   */
  @Descriptor("looks at everything that can be wrong, and says what to do")
  public @Nullable Object doctor(@Descriptor("[-j]") String... args) {
    return Invocation.run(() -> Doctor.run(core, slots, modules(), args));
  }

  private List<Doctor.Module> modules() {
    return Arrays.stream(context.getBundles()).map(DoctorCommands::module).toList();
  }

  private static Doctor.Module module(Bundle bundle) {
    boolean fragment = bundle.getHeaders().get(Constants.FRAGMENT_HOST) != null;
    int state = bundle.getState();
    return new Doctor.Module(
        String.valueOf(bundle.getSymbolicName()),
        bundle.getBundleId(),
        state != Bundle.INSTALLED,
        state != Bundle.RESOLVED || fragment);
  }
}
