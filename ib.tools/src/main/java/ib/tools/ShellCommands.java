package ib.tools;

import ib.core.client.LocalServices;
import ib.core.spi.StandaloneDriver;
import ib.tools.getopt.CommandException;
import ib.tools.lesson.Lessons;
import ib.tools.osgi.CommandService;
import ib.tools.shell.Catalogue;
import ib.tools.shell.Terminal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * The commands of scope {@code ib} that need no service: about the shell itself, which are methods,
 * and the one that teaches; see {@link IbCommands}.
 */
@Component(service = ShellCommands.class, immediate = true)
@GogoCommand(
    scope = "ib",
    function = {"default", "help", "welcome", "color"})
@SuppressWarnings("checkstyle:MethodName")
public final class ShellCommands {
  // devices come up while this is printed, so it names the first ones of the shipped configuration
  private static final String WELCOME =
      """
      ib %s
      try: ibv_devices
           ibv_rc_pingpong -d soft0 soft1
           ib:unplug soft1; rdma link; ib:plug soft1
      help lists the commands, exit %s
      """;

  private static final String COMMANDS =
      LocalServices.and("(osgi.command.scope=ib)(osgi.command.function=*)");

  private static final String DRIVER = "ib.driver.soft";

  private final BundleContext context;
  private final CommandService service = new CommandService();

  /**
   * Called by DS.
   *
   * @param context of this bundle, which sees all bundles
   */
  @Activate
  public ShellCommands(BundleContext context) {
    this.context = context;
  }

  @Activate
  void activate() {
    CommandTable table = lessons(this::driver);
    service.open(context, table, table.names());
  }

  @Deactivate
  void deactivate() {
    service.close();
  }

  /** {@return the table of the command that is no method} */
  static CommandTable lessons(Supplier<StandaloneDriver> driver) {
    return new CommandTable(Catalogue.OWN)
        .command(
            "lesson [-w file] [number]",
            "12 lessons: each runs something, shows its packets and what to look at")
        .runs((_, args) -> Lessons.run(driver, args));
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

  /**
   * The shell calls this for a command that there is not.
   *
   * @param name what was typed
   * @param args what was typed behind it
   */
  public void _default(String name, String... args) {
    throw new CommandException(commands().unknown(name));
  }

  /**
   * Lists the commands, or explains one.
   *
   * @param names at most one command
   * @return the value
   */
  @Descriptor("this list, or one command")
  public Object help(@Descriptor("[command]") String... names) {
    Catalogue all = commands();
    if (names.length == 0) {
      return all;
    }
    String about = all.about(names[0]);
    if (about == null) {
      throw new CommandException(names[0] + " is not of scope ib; try felix:help " + names[0]);
    }
    return about;
  }

  /** {@return the commands of scope ib, whichever bundle has them} */
  private Catalogue commands() {
    Catalogue all = new Catalogue();
    try {
      for (ServiceReference<?> each : context.getAllServiceReferences(null, COMMANDS)) {
        Object service = context.getService(each);
        if (service instanceof CommandTable table) {
          table.rows().forEach(r -> all.add(r.group(), r.name(), r.arguments(), r.text()));
        } else if (service != null) {
          Object group = each.getProperty(Catalogue.GROUP);
          all.add(service.getClass(), functions(each), group == null ? null : group.toString());
        }
        if (service != null) {
          context.ungetService(each);
        }
      }
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e); // the filter is a constant
    }
    return all;
  }

  private static Collection<String> functions(ServiceReference<?> reference) {
    return switch (reference.getProperty("osgi.command.function")) {
      case String one -> List.of(one);
      case Object[] many -> Arrays.stream(many).map(Object::toString).toList();
      case Collection<?> many -> many.stream().map(Object::toString).toList();
      default -> List.of();
    };
  }

  /**
   * Greets the person at the shell's terminal, if there is one.
   *
   * @param session the shell's
   */
  public void welcome(CommandSession session) {
    if (Terminal.ofShell(session)) {
      Version v = context.getBundle().getVersion();
      String shown = v.getMajor() + "." + v.getMinor() + "." + v.getMicro();
      boolean attached = session.get("ib.attached") != null; // to a service, see bin/ib
      String exit = attached ? "leaves it, the runtime goes on" : "ends the runtime";
      session.getConsole().print(WELCOME.formatted(shown, exit));
    }
  }

  /**
   * Says whether output may have colours.
   *
   * @param session the shell's
   * @return a value for {@code grep --color}
   */
  public String color(CommandSession session) {
    return Terminal.of(session) ? "auto" : "never";
  }
}
