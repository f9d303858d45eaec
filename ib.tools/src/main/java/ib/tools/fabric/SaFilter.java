package ib.tools.fabric;

import ib.core.sa.McMemberRecord;
import ib.core.sa.PathRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** Makes queries for paths and groups from {@code saquery}'s options. */
final class SaFilter {
  private static final int FAILED = 255;
  private static final Map<String, PathRecord.Field> PATH =
      Map.of(
          "slid", PathRecord.Field.SLID,
          "dlid", PathRecord.Field.DLID,
          "reversible", PathRecord.Field.REVERSIBLE,
          "numb_path", PathRecord.Field.NUMB_PATH,
          "pkey", PathRecord.Field.PKEY,
          "qos_class", PathRecord.Field.QOS_CLASS,
          "sl", PathRecord.Field.SL,
          "tclass", PathRecord.Field.TCLASS,
          "flow_label", PathRecord.Field.FLOW_LABEL,
          "hop_limit", PathRecord.Field.HOP_LIMIT);
  private static final Map<String, McMemberRecord.Field> MEMBER =
      Map.of(
          "mlid", McMemberRecord.Field.MLID,
          "qkey", McMemberRecord.Field.QKEY,
          "pkey", McMemberRecord.Field.PKEY,
          "sl", McMemberRecord.Field.SL,
          "tclass", McMemberRecord.Field.TCLASS,
          "flow_label", McMemberRecord.Field.FLOW_LABEL,
          "hop_limit", McMemberRecord.Field.HOP_LIMIT,
          "scope", McMemberRecord.Field.SCOPE,
          "join_state", McMemberRecord.Field.JOIN_STATE,
          "proxy_join", McMemberRecord.Field.PROXY_JOIN);

  private static final Map<String, PathRecord.Field> PATH_GIDS =
      Map.of("sgid", PathRecord.Field.SGID, "dgid", PathRecord.Field.DGID);
  private static final Map<String, McMemberRecord.Field> MEMBER_GIDS =
      Map.of("mgid", McMemberRecord.Field.MGID, "gid", McMemberRecord.Field.PORT_GID);

  private SaFilter() {}

  /** {@return the query for paths} */
  static PathRecord path(Parsed line) {
    PathRecord query = new PathRecord();
    set(line, PATH, SaFilter::number, query::set);
    set(line, PATH_GIDS, (name, text) -> gid(text), query::set);
    return query;
  }

  /** {@return the query for memberships} */
  static McMemberRecord member(Parsed line) {
    McMemberRecord query = new McMemberRecord();
    set(line, MEMBER, SaFilter::number, query::set);
    set(line, MEMBER_GIDS, (name, text) -> gid(text), query::set);
    return query;
  }

  /** Sets the fields that the line has, each from the text of its option. */
  private static <F, V> void set(
      Parsed line, Map<String, F> fields, BiFunction<String, String, V> read, BiConsumer<F, V> to) {
    fields.forEach(
        (name, field) -> {
          String text = line.last(name);
          if (text != null) {
            to.accept(field, read.apply(name, text));
          }
        });
  }

  static Gid gid(String text) {
    try {
      return Gid.parse(text);
    } catch (IbException e) {
      throw new CommandException("saquery: failed", e);
    }
  }

  static long number(String what, String text) {
    try {
      return Long.decode(text);
    } catch (NumberFormatException e) {
      CommandException refusal =
          new CommandException(FAILED, "saquery: " + what + " is '" + text + "', not a number");
      refusal.initCause(e);
      throw refusal;
    }
  }
}
