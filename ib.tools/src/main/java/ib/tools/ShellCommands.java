package ib.tools;

import ib.core.client.LocalServices;
import ib.tools.getopt.CommandException;
import ib.tools.shell.Catalogue;
import ib.tools.shell.Terminal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** The commands of scope {@code ib} that are about the shell itself; see {@link IbCommands}. */
@Component(service = ShellCommands.class)
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

  private final BundleContext context;

  /**
   * Called by DS.
   *
   * @param context of this bundle
   */
  @Activate
  public ShellCommands(BundleContext context) {
    this.context = context;
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
        if (service != null) {
          Object group = each.getProperty(Catalogue.GROUP);
          all.add(service.getClass(), functions(each), group == null ? null : group.toString());
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
