package ib.core.internal.mad;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.wire.MadHeader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The agents of one port, by transaction identifier and by class and method (M3, M4). */
final class AgentTable {
  /** The lower half of what others may put there is left to them: 16 bits (see ibsim). */
  private static final int HI_TID_LAST = 0xffff;

  private record Place(int mgmtClass, int classVersion, int oui, int method) {}

  private final Map<Integer, Agent> byTid = new ConcurrentHashMap<>();

  @GuardedBy("this")
  private final Map<Place, Agent> byMethod = new HashMap<>();

  @GuardedBy("this")
  private int lastTid;

  /** Makes and enters an agent. */
  synchronized Agent add(MadRegistration what, java.util.function.IntFunction<Agent> make) {
    for (int method : what.methods()) {
      if (byMethod.containsKey(place(what, method))) {
        throw new IbExistsException(
            "MadAgent.register " + what,
            "another agent of this port has method " + method + " of that class",
            "close it first (M3: one agent per class, version and method)");
      }
    }
    if (byTid.size() == HI_TID_LAST) {
      throw new IbNoMemoryException("MadAgent.register", "65,535 agents on one port", "fewer");
    }
    do {
      lastTid = lastTid == HI_TID_LAST ? 1 : lastTid + 1;
    } while (byTid.containsKey(lastTid));
    Agent agent = make.apply(lastTid);
    byTid.put(lastTid, agent);
    what.methods().forEach(m -> byMethod.put(place(what, m), agent));
    return agent;
  }

  synchronized void remove(Agent agent) {
    byTid.remove(agent.hiTid(), agent);
    byMethod.values().removeIf(agent::equals);
  }

  List<Agent> all() {
    return List.copyOf(byTid.values());
  }

  private static Place place(MadRegistration r, int method) {
    return new Place(r.mgmtClass(), r.classVersion(), r.oui(), method);
  }

  /** {@return whose request a response answers, by the upper half of its identifier} */
  @Nullable Agent ofResponse(MadHeader h) {
    return byTid.get((int) (h.transactionId() >>> 32));
  }

  /** {@return who hears a request, by class, version, OUI and method} */
  synchronized @Nullable Agent ofRequest(Mad mad) {
    MadHeader h = mad.header();
    int method = h.method() & ~MadMethod.RESPONSE;
    return byMethod.get(new Place(h.mgmtClass(), h.classVersion(), mad.oui(), method));
  }
}
