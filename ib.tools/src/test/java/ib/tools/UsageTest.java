package ib.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import ib.tools.output.Usage;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.service.command.CommandSession;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("U5: a command accepts each option that its usage names")
class UsageTest {
  /** An option that no command has: a command line with it ends in the parser. */
  private static final String UNKNOWN = "--no-such-option";

  private static final Pattern LINE = Pattern.compile("^ +(-.*?)(?:\\s{2,}|\\t|$)");
  private static final Pattern OPTION = Pattern.compile("--?[A-Za-z][A-Za-z_-]*");

  private final IbCore core = new FakeCore(Rxe.rxe0());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ibaddr",
        "ibhosts",
        "iblinkinfo",
        "ibnetdiscover",
        "ibping",
        "ibroute",
        "ibstat",
        "ibswitches",
        "ibtracert",
        "ibv_asyncwatch",
        "ibv_devices",
        "ibv_devinfo",
        "ibv_rc_pingpong",
        "ibv_srq_pingpong",
        "ibv_uc_pingpong",
        "ibv_ud_pingpong",
        "perfquery",
        "rping",
        "saquery",
        "sminfo",
        "smpquery"
      })
  void acceptsWhatItsUsageNames(String command) throws Exception {
    List<String> tried = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    for (String line : Usage.of(command).lines().toList()) {
      Matcher listed = LINE.matcher(line);
      if (!listed.find()) {
        continue;
      }
      String names = listed.group(1);
      boolean argument = names.contains("<");
      Matcher option = OPTION.matcher(names.replaceAll("<[^>]*>", ""));
      while (option.find()) {
        tried.add(option.group());
        if (!refusal(command, option.group(), argument).contains(UNKNOWN.substring(2))) {
          refused.add(option.group());
        }
      }
    }
    assertFalse(tried.isEmpty(), "no option was found in the usage");
    assertEquals(List.of(), refused);
  }

  private static boolean has(Object owner, String command) {
    return Arrays.stream(owner.getClass().getMethods()).anyMatch(m -> m.getName().equals(command));
  }

  private String refusal(String command, String option, boolean argument) throws Exception {
    Object owner =
        Stream.of(
                new DiagsCommands(core),
                new RdmaCmCommands(core, CmClient.create()),
                new IbCommands(core))
            .filter(o -> has(o, command))
            .findFirst()
            .orElseThrow();
    Method method =
        Arrays.stream(owner.getClass().getMethods())
            .filter(m -> m.getName().equals(command))
            .findFirst()
            .orElseThrow();
    String[] args = argument ? new String[] {option, "1", UNKNOWN} : new String[] {option, UNKNOWN};
    try (CommandSession session =
        new CommandProcessorImpl(null).createSession(System.in, System.err, System.err)) {
      Object value =
          method.getParameterCount() == 1
              ? method.invoke(owner, (Object) args)
              : method.invoke(owner, session, args);
      return "accepted " + UNKNOWN + ": " + value;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof CommandException refusal) {
        return String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
      }
      throw e;
    }
  }
}
