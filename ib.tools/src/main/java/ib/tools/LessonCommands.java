package ib.tools;

import ib.core.spi.StandaloneDriver;
import ib.tools.getopt.CommandException;
import ib.tools.lesson.Lessons;
import java.util.Arrays;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** The command of scope {@code ib} that teaches; see {@link IbCommands}. */
@Component(service = LessonCommands.class)
@GogoCommand(
    scope = "ib",
    function = {"lesson"})
public final class LessonCommands {
  private static final String DRIVER = "ib.driver.soft";

  private final BundleContext context;

  /**
   * Called by DS.
   *
   * @param context of this bundle, which sees all bundles
   */
  @Activate
  public LessonCommands(BundleContext context) {
    this.context = context;
  }

  /**
   * Lists the lessons, or runs one.
   *
   * @param args see {@link Lessons}
   * @return the value
   */
  @Descriptor("12 lessons: each runs something, shows its packets and what to look at")
  public @Nullable Object lesson(@Descriptor("[-w file] [number]") String... args) {
    return Invocation.run(() -> Lessons.run(this::driver, args));
  }

  /** {@return the soft driver, which a lesson opens beside the one that serves the runtime} */
  private StandaloneDriver driver() {
    return Arrays.stream(context.getBundles())
        .filter(b -> DRIVER.equals(b.getSymbolicName()))
        .map(b -> b.adapt(BundleWiring.class))
        .filter(w -> w != null && w.isInUse())
        .findFirst()
        .map(w -> StandaloneDriver.find(DRIVER, w.getClassLoader()))
        .orElseThrow(
            () ->
                new CommandException(
                    "ib:lesson: the bundle " + DRIVER + " is missing; copy its jar into deploy/"));
  }
}
