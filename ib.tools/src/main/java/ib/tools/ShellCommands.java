package ib.tools;

import ib.tools.getopt.CommandException;
import ib.tools.shell.Catalogue;
import ib.tools.shell.Terminal;
import java.util.List;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
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
      help lists the commands, exit ends the runtime
      """;

  private static final String HELP = "felix:help"; // the shell's own

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
    throw new CommandException(new Catalogue(context).unknown(name));
  }

  /**
   * Lists the commands, or explains some.
   *
   * @param session the shell's
   * @param names of commands
   * @return the value
   * @throws Exception of the shell's help
   */
  @Descriptor("this list, or one command")
  public @Nullable Object help(CommandSession session, @Descriptor("[command]...") String... names)
      throws Exception {
    Catalogue all = new Catalogue(context);
    if (names.length == 0) {
      return all;
    }
    for (String name : names) {
      if (session.get(HELP) instanceof org.apache.felix.service.command.Function own) {
        own.execute(session, List.of(all.scoped(name)));
      }
    }
    return null;
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
      session.getConsole().print(WELCOME.formatted(shown));
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
