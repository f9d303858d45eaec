package ib.tools.fabric;

import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;

/**
 * {@code sminfo}: reads the SMInfo of a subnet manager. With a modifier, sends a command to it, in
 * the name of a manager that is in the state of {@code -s} (IBA 14.4.1).
 */
final class Sminfo {
  private static final String[] STATES = {
    "SMINFO_NOTACT", "SMINFO_DISCOVER", "SMINFO_STANDBY", "SMINFO_MASTER"
  };

  private static final int STANDBY = 2;
  private static final int MAX_PRIORITY = 15;

  private Sminfo() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
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
      long modifier = line.operands().size() > 1 ? Destination.number(line.operands().get(1)) : 0;
      info =
          modifier == 0
              ? query.get(to, SmpAttribute.SM_INFO, 0)
              : query.set(to, SmpAttribute.SM_INFO, (int) modifier, teller(line));
    } catch (NoAnswerException e) {
      throw new NoAnswerException("query (" + e.getMessage() + ")", e);
    }
    return text(to, info);
  }

  /**
   * {@return the SMInfo of the sender; as in the original, the state is STANDBY without {@code -s}}
   */
  private static MemorySegment teller(Parsed line) {
    MemorySegment data = MemorySegment.ofArray(new byte[Smp.DATA]);
    SmInfo.STATE.set(data, line.number("state", STANDBY, 0, STATES.length - 1));
    SmInfo.PRIORITY.set(data, line.number("priority", 0, 0, MAX_PRIORITY));
    SmInfo.ACT_COUNT.set(data, line.number("activity", 0, 0, Integer.MAX_VALUE));
    return data;
  }

  private static String text(Route to, MemorySegment info) {
    int lid = to instanceof Route.Lid l ? l.lid() : 0; // 0 for a directed route, as in the original
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
