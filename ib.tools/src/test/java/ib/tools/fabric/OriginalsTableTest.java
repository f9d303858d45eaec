package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.client.IbCore;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.CommandTable;
import ib.tools.IbCommands;
import ib.tools.PrintableConverter;
import ib.tools.testing.Golden;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.service.command.CommandSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each invocation runs as infiniband-diags and as the shell's command, on one fabric and from one
 * node. Not here, because the original cannot run over ibsim: answers of the subnet administrator
 * that have several segments (its library assembles none, and then prints what is not there: {@code
 * saquery} alone, {@code PIR}, {@code LR}, {@code -s} and others), and {@code ibstat} and {@code
 * ibstatus} of an adapter, which read files of the kernel.
 */
@DisplayName("B10: values, exit status and stream are the original's")
@Timeout(900)
class OriginalsTableTest {
  private static final String TABLE =
      """
      smpquery nodeinfo 1
      smpquery NI 0x2
      smpquery -G nodeinfo 0x100001
      smpquery -D nodeinfo 0,1
      smpquery nodedesc 2
      smpquery portinfo 1 1
      smpquery portinfo 1 2
      smpquery portinfo 2 0
      smpquery portinfo 2 4
      smpquery switchinfo 2
      smpquery guidinfo 1
      smpquery mepi 1
      smpquery pie 1
      smpquery portinfo 1 9
      smpquery switchinfo 1
      smpquery nodeinfo x
      smpquery -t 50 nodeinfo 99
      smpquery -t 50 -D nodeinfo 0,9
      smpquery -G nodeinfo 0x1
      smpquery FOO 1
      smpquery nodeinfo
      smpquery --frob
      smpquery -t
      smpquery -h
      sminfo
      sminfo -t 50 99
      sminfo --frob
      ibaddr
      ibaddr 2
      ibaddr -g
      ibaddr -L 2
      ibaddr -t 50 99
      ibaddr x
      ibroute 2
      ibroute -M 2
      ibroute 1
      ibroute -t 50 99
      ibroute
      ibtracert 1 6
      ibtracert -n 1 6
      ibtracert 1
      ibtracert -t 50 1 99
      ibtracert --frob
      ibnetdiscover
      ibnetdiscover -f
      ibnetdiscover -p
      ibnetdiscover -l
      ibnetdiscover -R
      ibnetdiscover -g
      ibnetdiscover -m
      ibnetdiscover --frob
      iblinkinfo
      iblinkinfo -l
      iblinkinfo -d
      iblinkinfo -p
      iblinkinfo -l -p
      iblinkinfo -S 0x200000
      iblinkinfo -G 0x200001 -l
      iblinkinfo -G 0x100001
      iblinkinfo -S 0x9
      iblinkinfo -n 1
      iblinkinfo -n 2
      iblinkinfo -D 0,1
      iblinkinfo -D 0
      iblinkinfo -t 50 -D 0,9
      iblinkinfo --switches-only
      iblinkinfo --frob
      ibhosts
      ibhosts --frob
      ibswitches
      ibswitches -h
      ibnodes
      ibnodes --frob
      perfquery
      perfquery 2
      perfquery 2 4
      perfquery 1 2
      perfquery -x 2 4
      perfquery -a 2
      perfquery -a -l 2
      perfquery -l 2
      perfquery 2 2-4
      perfquery -x -a 2
      perfquery -X 2 4
      perfquery -X -a 2
      perfquery -X -a 4
      perfquery -E 2 4
      perfquery -a 4
      perfquery -R 2 1
      perfquery -r 2 4
      perfquery -G 0x200000 4
      perfquery --oprcvcounters 2 1
      perfquery 2 99
      perfquery 4 9
      perfquery -t 50 99
      perfquery x
      perfquery --frob
      ibqueryerrors
      ibqueryerrors -s PortXmitDiscards,PortRcvErrors
      ibqueryerrors --frob
      saquery -c
      saquery NR 1
      saquery NR 99
      saquery PIR 99
      saquery -g
      saquery MCMR
      saquery --src-to-dst 1:99
      saquery -L FOO
      saquery FOO
      saquery NR FOO
      saquery PIR FOO
      saquery --src-to-dst 1:FOO
      saquery --src-to-dst 1
      saquery --sgid-to-dgid x-y
      saquery --frob
      ibping -c 1 2
      ibping -c 1 -G 0x200000
      ibping -c 1 -t 50 99
      ibping -c 1 x
      ibping
      ibping --frob
      ibstat foo
      ibstat --frob
      ibportstate 2 1
      ibportstate 2 3 query
      ibportstate 2 4 query
      ibportstate 2 0 query
      ibportstate 1 1 query
      ibportstate -K 4 1
      ibportstate -D 0,1 2 query
      ibportstate -G 0x200000 2 query
      ibportstate 2 4 disable
      ibportstate 2 4 enable
      ibportstate -D 0,1 4 off
      ibportstate 4 2 reset
      ibportstate 2 4 down
      ibportstate 2 2 active
      ibportstate 2 2 arm
      ibportstate 2 99
      ibportstate 2 2 frob
      ibportstate 2
      ibportstate -t 50 99 1
      ibportstate --frob
      """;

  /** What a command needs first, since the command changes the fabric. */
  private static final Map<String, String> BEFORE =
      Map.of(
          "ibportstate 2 4 disable", "ibportstate 2 4 reset",
          "ibportstate 2 4 enable", "ibportstate 2 4 disable",
          "ibportstate -D 0,1 4 off", "ibportstate 2 4 reset",
          "ibportstate 2 4 down", "ibportstate 2 4 reset",
          "ibportstate 4 2 reset", "ibportstate 4 2 reset"); // gives the port a LID

  /** A difference of text that stays. */
  private record Accepted(String pattern, String instead, String why) {}

  private static final List<Accepted> ACCEPTED =
      List.of(
          new Accepted("/usr/sbin/", "", "how the original was called"),
          new Accepted("iberror: failed.*", "iberror", "the words of the reason say more here"),
          new Accepted("(?s)^.*?Usage: .*", "Usage", "names the options that there are"),
          new Accepted("generated on .*", "generated", "the clock"),
          new Accepted("time [0-9.]+ ms|rtt .*", "time", "the clock"),
          new Accepted("activity count \\d+", "activity count", "the manager is at work"),
          new Accepted(
              "(\\w*(?:XmitData|RcvData|XmitPkts|RcvPkts|XmtDataSL0|RcvDataSL0):\\.*)\\d+",
              "$1n",
              "the datagrams of the commands themselves are counted"));

  /** What the originals' libraries say on their own, and a dump of theirs after it. */
  private static final String LIBRARY = "(?m)^(ibwarn: .*|nodeinfo|([0-9a-f]{4} ?)+|)\\R";

  @TempDir Path dir;
  private final CommandProcessorImpl shell = new CommandProcessorImpl(null);
  private SoftFabric fabric;
  private Original original;
  private final Set<Accepted> used = new HashSet<>();

  @BeforeEach
  void open() throws IOException {
    Original.assumeThere();
    Path net = Files.writeString(dir.resolve("net"), Golden.of("diags/ibnetdiscover"));
    int port = Original.freePort();
    fabric =
        SoftFabric.options()
            .topology(net)
            .ibsimPort(port)
            .device("Hca1", Map.of("ports", 2))
            .device("Hca2", Map.of("ports", 2))
            .devices("Hca3", "Hca4")
            .open();
    original = new Original(dir, port, "Hca1");
    IbCore core = fabric.core();
    CommandTable table = new IbCommands(core).commands();
    table.names().forEach(name -> shell.addCommand("ib", table, name));
    shell.addConverter(new PrintableConverter());
  }

  @AfterEach
  void close() {
    if (fabric != null) {
      fabric.close();
    }
  }

  @Test
  @DisplayName("each invocation of the table, and no difference is accepted that is not there")
  void same() {
    assertAll(TABLE.lines().map(line -> () -> same(line)));
    assertEquals(List.of(), ACCEPTED.stream().filter(a -> !used.contains(a)).toList());
  }

  private void same(String line) throws Exception {
    String before = BEFORE.get(line);
    if (before != null) {
      assertEquals(0, ours(before).status(), before);
    }
    Original.Ran theirs = original.run(line);
    if (before != null) {
      assertEquals(0, ours(before).status(), before);
    }
    Original.Ran ours = ours(line);
    String both = line + "\n" + theirs.err() + "\n---\n" + ours.err();
    assertEquals(text(theirs.out()), text(ours.out()), both);
    assertEquals(theirs.status(), ours.status(), both);
    assertEquals(complains(theirs.err()), complains(ours.err()), both);
  }

  private String text(String printed) {
    String text = printed;
    for (Accepted a : ACCEPTED) {
      String without = text.replaceAll(a.pattern, a.instead);
      if (!without.equals(text)) {
        used.add(a);
      }
      text = without;
    }
    return text;
  }

  private static boolean complains(String err) {
    return !err.replaceAll(LIBRARY, "").isEmpty();
  }

  /** Runs a command as the launcher does. */
  private Original.Ran ours(String line) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int status;
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
        CommandSession session = shell.createSession(InputStream.nullInputStream(), out, err)) {
      status = status(session, line, err);
    }
    return new Original.Ran(
        status, printed.toString(StandardCharsets.UTF_8), said.toString(StandardCharsets.UTF_8));
  }

  private static int status(CommandSession session, String line, PrintStream err) throws Exception {
    try {
      Object left = session.execute(line);
      assertEquals(null, left, "printed by the command itself");
      return session.get(".ib.status") instanceof Integer news ? news : 0;
    } catch (InvocationTargetException e) {
      return failed(e.getCause(), err);
    } catch (RuntimeException e) {
      return failed(e, err);
    }
  }

  private static int failed(Throwable e, PrintStream err) {
    String why = String.valueOf(e.getMessage());
    if (!why.isEmpty()) {
      err.println(why);
    }
    return e instanceof IntSupplier status ? status.getAsInt() : 1;
  }
}
