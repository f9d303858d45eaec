package ib.launcher;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.osgi.framework.BundleContext;

/**
 * The commands {@code launcher:head} and {@code launcher:tail}, with which {@code gosh_profile}
 * lets {@code head -5} be what it is in other shells: Gogo's own takes {@code -5} for a file.
 */
public final class Head {
  Head() {}

  void register(BundleContext context) {
    context.registerService(Head.class, this, Launcher.command("head"));
    context.registerService(Head.class, this, Launcher.command("tail"));
  }

  /**
   * Runs Gogo's {@code head}.
   *
   * @param session the shell's
   * @param args its arguments, of which the first may be the number alone
   * @return what it returns
   * @throws Exception what it throws
   */
  public Object head(CommandSession session, Object[] args) throws Exception {
    return run("gogo:head", session, args);
  }

  /**
   * Runs Gogo's {@code tail}.
   *
   * @param session the shell's
   * @param args its arguments, of which the first may be the number alone
   * @return what it returns
   * @throws Exception what it throws
   */
  public Object tail(CommandSession session, Object[] args) throws Exception {
    return run("gogo:tail", session, args);
  }

  private static Object run(String command, CommandSession session, Object[] args)
      throws Exception {
    List<Object> all = new ArrayList<>(Arrays.asList(args));
    if (!all.isEmpty() && all.getFirst().toString().matches("-[0-9]+")) {
      all.add(1, all.getFirst().toString().substring(1));
      all.set(0, "-n");
    }
    return ((Function) session.get(command)).execute(session, all);
  }
}
