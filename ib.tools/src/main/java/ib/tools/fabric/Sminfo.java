package ib.tools.fabric;

import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;

/** {@code sminfo}: what a subnet manager says of itself. */
final class Sminfo {
  private static final String[] STATES = {
    "SMINFO_NOTACT", "SMINFO_DISCOVER", "SMINFO_STANDBY", "SMINFO_MASTER"
  };

  private Sminfo() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    for (String change : new String[] {"state", "priority", "activity"}) {
      if (line.has(change)) {
        throw new CommandException("sminfo: --" + change + " is not supported here");
      }
    }
    Route to;
    if (line.operands().isEmpty()) {
      if (query.smLid() == 0) {
        throw new NoAnswerException("can't resolve sm port: no subnet manager is known");
      }
      to = new Route.Lid(query.smLid());
    } else {
      to = Destination.of("sminfo", query, line, line.operands().getFirst());
    }
    MemorySegment info;
    try {
      info = query.get(to, SmpAttribute.SM_INFO, 0);
    } catch (NoAnswerException e) {
      throw new NoAnswerException("query (" + e.getMessage() + ")", e);
    }
    int lid = to instanceof Route.Lid l ? l.lid() : Destination.lid(query, to);
    int state = SmInfo.STATE.in(info);
    return String.format(
        "sminfo: sm lid %d sm guid 0x%x, activity count %d priority %d state %d %s",
        lid,
        SmInfo.GUID.of(info),
        SmInfo.ACT_COUNT.of(info),
        SmInfo.PRIORITY.in(info),
        state,
        state < STATES.length ? STATES[state] : "?");
  }
}
