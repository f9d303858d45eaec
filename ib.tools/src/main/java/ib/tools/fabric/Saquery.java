package ib.tools.fabric;

import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.InformInfoRecord;
import ib.core.sa.McMemberRecord;
import ib.core.sa.NodeRecord;
import ib.core.sa.PathRecord;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.SaClient;
import ib.core.sa.SaRecord;
import ib.core.sa.ServiceRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code saquery}: records of the subnet administrator. */
public final class Saquery {
  private static final int FAILED = 255;
  private static final int ENONET = 64;
  private static final int GRACE_MS = 3_000; // for the segments of an answer that has begun
  private static final int IS_SM = 1 << 1;
  private static final int IS_SM_DISABLED = 1 << 10;
  private static final String[] OPTIONS = {
    "p,p",
    "N,N",
    "L,L",
    "G,G",
    "O,O",
    "U,U",
    "s,s",
    "g,g",
    "m,m",
    "x,x",
    "c,c",
    "S,S",
    "D,list",
    "l,l",
    "I,I",
    ",slid=",
    ",dlid=",
    ",sgid=",
    ",dgid=",
    ",mlid=",
    ",mgid=",
    ",gid=",
    "r,reversible=",
    "n,numb_path=",
    ",pkey=",
    "Q,qos_class=",
    ",sl=",
    "q,qkey=",
    "T,tclass=",
    "F,flow_label=",
    "H,hop_limit=",
    ",scope=",
    "J,join_state=",
    "X,proxy_join=",
    ",src-to-dst=",
    ",sgid-to-dgid=",
    "z,config=",
    "C,Ca=",
    "P,Port=",
    "t,timeout=",
    "K,show_keys",
    "e,errors",
    "v,verbose",
    "d,debug",
    "h,help",
    "V,version"
  };

  private final SaClient sa;
  private final Parsed line;
  private final int timeoutMs;

  private Saquery(SaClient sa, Parsed line, int timeoutMs) {
    this.sa = sa;
    this.line = line;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args the original's options and operands
   * @return the records
   * @throws CommandException when an option is wrong, there is no such port, or no answer
   */
  public static String run(IbCore core, String... args) {
    Parsed line = parse(args);
    LocalPort port = LocalPort.of(core, "saquery", line);
    try (DeviceLease lease = core.lease(port.device(), "saquery");
        SaClient sa = SaClient.open(lease.device(), port.number())) {
      return run(sa, line);
    } catch (IbException e) {
      throw new CommandException("saquery: failed", e);
    }
  }

  static Parsed parse(String... args) {
    return Options.parse("saquery", args, OPTIONS);
  }

  static String run(SaClient sa, Parsed line) {
    return new Saquery(sa, line, Options.timeoutMs(line, SaClient.TIMEOUT_MS)).run();
  }

  private String run() {
    List<String> operands = line.operands();
    String name = operands.isEmpty() ? "" : operands.getFirst().toLowerCase(Locale.ROOT);
    int first = line.has("x") || line.has("I") ? 0 : 1; // the option stands for the record's name
    String rest = operands.size() > first ? operands.get(first) : "";
    if (line.has("c") || is(name, "classportinfo", "cpi")) {
      return RecordText.administrator(wait(sa.get(new ClassPortInfo(), timeoutMs)));
    }
    if (line.has("g")) {
      return dump(new McMemberRecord(), RecordText::group);
    }
    if (line.has("m")) {
      return name.isEmpty()
          ? dump(new McMemberRecord(), r -> RecordText.member(r, description(r)))
          : dump(
              new McMemberRecord().set(McMemberRecord.Field.MLID, SaFilter.number("mlid", name)),
              r -> RecordText.port(r, description(r)));
    }
    if (line.has("s")) {
      return managers();
    }
    if (line.has("list")) {
      return list();
    }
    if (line.has("S") || is(name, "servicerecord", "sr")) {
      return dump(new ServiceRecord(), RecordText::service);
    }
    if (line.has("p") || is(name, "pathrecord", "pr") || pair() != null) {
      return dump(path(), RecordText::path);
    }
    if (is(name, "mcmemberrecord", "mcmr")) {
      return dump(SaFilter.member(line), RecordText::member);
    }
    if (line.has("I") || is(name, "informinforecord", "iir")) {
      InformInfoRecord query = new InformInfoRecord();
      return dump(
          rest.isEmpty()
              ? query
              : query.set(InformInfoRecord.Field.SUBSCRIBER_GID, SaFilter.gid(rest)),
          r -> TableText.subscription(r, line.has("show_keys")));
    }
    String table =
        new SaTables(this)
            .table(
                line.has("x") ? "lr" : name,
                rest,
                operands.size() > first + 1 ? operands.get(first + 1) : "");
    return table != null
        ? table
        : nodes(
            is(name, "noderecord", "nr") ? rest : operands.isEmpty() ? "" : operands.getFirst());
  }

  private static boolean is(String name, String whole, String alias) {
    return name.equals(whole) || name.equals(alias);
  }

  // ---- nodes ----

  private String nodes(String which) {
    NodeRecord query = new NodeRecord();
    long number = Destination.number(which);
    if (number > 0 && number <= 0xbfff) {
      query.set(NodeRecord.Field.LID, number);
    } else if (number != 0) {
      query.set(NodeRecord.Field.PORT_GUID, number);
    } else if (!which.isEmpty()) {
      query.set(NodeRecord.Field.NODE_DESCRIPTION, which);
    }
    Function<NodeRecord, String> form =
        line.has("L") || line.has("l")
            ? r -> String.valueOf(r.value(NodeRecord.Field.LID))
            : line.has("G")
                ? r -> AttributeText.hex(r.number(NodeRecord.Field.PORT_GUID), 16)
                : line.has("O") || line.has("U")
                    ? r -> r.text(NodeRecord.Field.NODE_DESCRIPTION)
                    : RecordText::node;
    String found = dump(query, form);
    boolean named = number == 0 && !which.isEmpty();
    if (found.isEmpty()
        && named
        && List.of("L", "l", "G", "O", "U").stream().noneMatch(line::has)) {
      throw noNode(which);
    }
    return found;
  }

  private String list() {
    return "   LID \"name\"\n================\n"
        + dump(
            new NodeRecord().set(NodeRecord.Field.NODE_TYPE, 1),
            r ->
                String.format(
                    "%6d  \"%s\"",
                    r.value(NodeRecord.Field.LID), r.text(NodeRecord.Field.NODE_DESCRIPTION)));
  }

  private String managers() {
    List<PortInfoRecord> ports = table(new PortInfoRecord());
    return ("IsSM ports\n"
            + with(ports, IS_SM)
            + "\nIsSMdisabled ports\n"
            + with(ports, IS_SM_DISABLED))
        .stripTrailing();
  }

  private static String with(List<PortInfoRecord> ports, int bit) {
    return ports.stream()
        .filter(r -> (r.number(PortInfoRecord.Field.CAPABILITY_MASK) & bit) != 0)
        .map(r -> RecordText.portOfManager(r) + "\n")
        .collect(Collectors.joining());
  }

  private String description(McMemberRecord member) {
    Gid port = member.gid(McMemberRecord.Field.PORT_GID);
    if (port.equals(Gid.ZERO)) {
      return "<unknown>";
    }
    NodeRecord query = new NodeRecord().set(NodeRecord.Field.PORT_GUID, port.interfaceId());
    return table(query).stream()
        .findFirst()
        .map(r -> r.text(NodeRecord.Field.NODE_DESCRIPTION))
        .orElse("<unknown>");
  }

  // ---- paths ----

  /** {@return the two ends of a path option; null without such an option} */
  private String @Nullable [] pair() {
    String lids = line.last("src-to-dst");
    String gids = line.last("sgid-to-dgid");
    String text = lids != null ? lids : gids;
    if (text == null) {
      return null;
    }
    String[] ends = text.split(lids != null ? ":" : "-", 2);
    if (ends.length != 2) {
      throw line.usage();
    }
    return ends;
  }

  private PathRecord path() {
    PathRecord query = SaFilter.path(line);
    String[] ends = pair();
    if (ends == null) {
      return query;
    }
    if (line.has("src-to-dst")) {
      return query
          .set(PathRecord.Field.SLID, lid(ends[0]))
          .set(PathRecord.Field.DLID, lid(ends[1]));
    }
    try {
      return query
          .set(PathRecord.Field.SGID, Gid.parse(ends[0]))
          .set(PathRecord.Field.DGID, Gid.parse(ends[1]));
    } catch (IbException e) {
      CommandException usage = line.usage();
      usage.initCause(e);
      throw usage;
    }
  }

  /** {@return a LID from a number or a node's name} */
  int lid(String text) {
    long number = Destination.number(text);
    if (number > 0 && number <= 0xffff) {
      return (int) number;
    }
    NodeRecord query = new NodeRecord().set(NodeRecord.Field.NODE_DESCRIPTION, text);
    return table(query).stream()
        .findFirst()
        .map(r -> r.value(NodeRecord.Field.LID))
        .orElseThrow(() -> noNode(text));
  }

  private static CommandException noNode(String name) {
    String why = "Failed to find lid for \"" + name + "\": Machine is not on the network";
    return new CommandException(ENONET, why);
  }

  // ---- queries ----

  <S extends SaRecord<S, ?>> String dump(S query, Function<S, String> form) {
    return table(query).stream().map(form).collect(Collectors.joining("\n"));
  }

  private <S extends SaRecord<S, ?>> List<S> table(S query) {
    return wait(sa.getTable(query, timeoutMs));
  }

  private <T> T wait(CompletableFuture<T> answer) {
    try {
      return answer.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable why = e.getCause();
      throw refused(String.valueOf((why == null ? e : why).getMessage()), e);
    } catch (TimeoutException e) {
      throw refused("timeout", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("saquery: interrupted", e);
    }
  }

  private static CommandException refused(String why, Exception cause) {
    CommandException e = new CommandException(FAILED, "ERROR: Query result returned: " + why);
    e.initCause(cause);
    return e;
  }
}
