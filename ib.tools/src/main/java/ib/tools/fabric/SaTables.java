package ib.tools.fabric;

import ib.core.sa.GuidInfoRecord;
import ib.core.sa.LftRecord;
import ib.core.sa.LinkRecord;
import ib.core.sa.MftRecord;
import ib.core.sa.PkeyTableRecord;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.SaField;
import ib.core.sa.SaRecord;
import ib.core.sa.SlToVlRecord;
import ib.core.sa.SmInfoRecord;
import ib.core.sa.SwitchInfoRecord;
import ib.core.sa.VlArbitrationRecord;
import org.jspecify.annotations.Nullable;

/** The {@code saquery} records that numbers between slashes select. */
final class SaTables {
  private final Saquery saquery;

  SaTables(Saquery saquery) {
    this.saquery = saquery;
  }

  /** {@return the records of a name, selected by numbers between slashes; null for other names} */
  @Nullable String table(String kind, String which, String to) {
    return switch (kind) {
      case "linkrecord", "lr" -> {
        LinkRecord query =
            rid(new LinkRecord(), which, LinkRecord.Field.FROM_LID, LinkRecord.Field.FROM_PORT);
        yield saquery.dump(
            rid(query, to, LinkRecord.Field.TO_LID, LinkRecord.Field.TO_PORT), RecordText::link);
      }
      case "portinforecord", "pir" ->
          saquery.dump(
              rid(
                  new PortInfoRecord(),
                  which,
                  PortInfoRecord.Field.LID,
                  PortInfoRecord.Field.PORT_NUM,
                  PortInfoRecord.Field.OPTIONS),
              RecordText::port);
      case "sminforecord", "smir" ->
          saquery.dump(rid(new SmInfoRecord(), which, SmInfoRecord.Field.LID), RecordText::manager);
      case "lftrecord", "lftr" ->
          saquery.dump(
              rid(new LftRecord(), which, LftRecord.Field.LID, LftRecord.Field.BLOCK_NUM),
              RecordText::forwarding);
      case "mftrecord", "mftr" ->
          saquery.dump(
              rid(
                  new MftRecord(),
                  which,
                  MftRecord.Field.LID,
                  MftRecord.Field.POSITION,
                  MftRecord.Field.BLOCK_NUM),
              TableText::multicast);
      case "guidinforecord", "gir" ->
          saquery.dump(
              rid(
                  new GuidInfoRecord(),
                  which,
                  GuidInfoRecord.Field.LID,
                  GuidInfoRecord.Field.BLOCK_NUM),
              TableText::guids);
      case "switchinforecord", "swir" ->
          saquery.dump(
              rid(new SwitchInfoRecord(), which, SwitchInfoRecord.Field.LID),
              TableText::switchInfo);
      default -> portTable(kind, which);
    };
  }

  private @Nullable String portTable(String kind, String which) {
    return switch (kind) {
      case "sl2vltablerecord", "sl2vl" ->
          saquery.dump(
              rid(
                  new SlToVlRecord(),
                  which,
                  SlToVlRecord.Field.LID,
                  SlToVlRecord.Field.INPUT_PORT_NUM,
                  SlToVlRecord.Field.OUTPUT_PORT_NUM),
              TableText::lanes);
      case "vlarbitrationtablerecord", "vlar" ->
          saquery.dump(
              rid(
                  new VlArbitrationRecord(),
                  which,
                  VlArbitrationRecord.Field.LID,
                  VlArbitrationRecord.Field.OUTPUT_PORT_NUM,
                  VlArbitrationRecord.Field.BLOCK_NUM),
              TableText::arbitration);
      case "pkeytablerecord", "pktr" ->
          saquery.dump(
              rid(
                  new PkeyTableRecord(),
                  which,
                  PkeyTableRecord.Field.LID,
                  PkeyTableRecord.Field.PORT_NUM,
                  PkeyTableRecord.Field.BLOCK_NUM),
              TableText::pkeys);
      default -> null;
    };
  }

  /** Sets the identifiers of the wanted records: a LID or a node's name, then numbers. */
  @SafeVarargs
  private <F extends Enum<F> & SaField, S extends SaRecord<S, F>> S rid(
      S query, String text, F... fields) {
    String[] parts = text.split("/");
    for (int i = 0; i < Math.min(parts.length, fields.length); i++) {
      if (!parts[i].isEmpty()) {
        query.set(fields[i], i == 0 ? saquery.lid(parts[i]) : SaFilter.number("number", parts[i]));
      }
    }
    return query;
  }
}
