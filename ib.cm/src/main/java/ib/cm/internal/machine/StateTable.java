package ib.cm.internal.machine;

import static ib.cm.internal.machine.Act.*;
import static ib.cm.internal.machine.State.*;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table of what each state does with each input (IBA 12.9.5 to 12.9.7). An input without a row
 * does nothing: a message is dropped and counted, a call is refused.
 */
public final class StateTable {
  /**
   * A row.
   *
   * @param next the state after it
   * @param acts what it does, in order
   */
  public record Row(State next, List<Act> acts) {}

  private static final Set<State> REQUESTING = EnumSet.of(REQ_SENT, MRA_REQ_RCVD);
  private static final Set<State> REPLIED_TO = EnumSet.of(REP_RCVD, MRA_REP_SENT);
  private static final Set<State> ASKED = EnumSet.of(REQ_RCVD, MRA_REQ_SENT);
  private static final Set<State> REPLYING = EnumSet.of(REP_SENT, MRA_REP_RCVD);

  /** The table of the product. */
  public static final StateTable IBA = new StateTable();

  private final Map<State, Map<Input, Row>> rows = new EnumMap<>(State.class);

  private StateTable() {
    active();
    passive();
    connected();
    removed();
  }

  private StateTable(StateTable from) {
    from.rows.forEach((state, of) -> rows.put(state, new EnumMap<>(of)));
  }

  private void active() {
    row(EnumSet.of(IDLE), Input.CONNECT, REQ_SENT, ASK_REQ);
    row(REQUESTING, Input.REP, REP_RCVD, STOP, LEARN, REPLIED);
    row(EnumSet.of(REQ_SENT), Input.MRA, MRA_REQ_RCVD, LONGER);
    row(REQUESTING, Input.REJ, GONE, END_REJECTED, FREE);
    row(REQUESTING, Input.REJ_STALE, TIMEWAIT, END_REJECTED, WAIT);
    // the peer has accepted and changed its mind, and neither its REP nor its REJ has come
    row(REQUESTING, Input.DREQ, TIMEWAIT, SAY_DREP, END_DISCONNECTED, WAIT);
    row(REQUESTING, Input.AGAIN, REQ_SENT, REPEAT, TIMER);
    row(REQUESTING, Input.LAST, GONE, SAY_REJ_TIMEOUT, END_UNREACHABLE, FREE);
    row(REQUESTING, Input.DISCONNECT, GONE, SAY_REJ_TIMEOUT, END_CLOSED, FREE);
    row(REQUESTING, Input.CLOSE, GONE, SAY_REJ_TIMEOUT, END_CLOSED, FREE);
    row(REPLIED_TO, Input.READY, ESTABLISHED, SAY_RTU, UP);
    row(REPLIED_TO, Input.REP, MRA_REP_SENT, SAY_MRA);
    row(REPLIED_TO, Input.REJECT, GONE, SAY_REJ, END_CLOSED, FREE);
    row(REPLIED_TO, Input.DISCONNECT, GONE, SAY_REJ, END_CLOSED, FREE);
    row(REPLIED_TO, Input.CLOSE, GONE, SAY_REJ, END_CLOSED, FREE);
    row(REPLIED_TO, Input.REJ, GONE, END_REJECTED, FREE);
    row(REPLIED_TO, Input.REJ_STALE, TIMEWAIT, END_REJECTED, WAIT);
    row(REPLIED_TO, Input.DREQ, TIMEWAIT, SAY_DREP, END_DISCONNECTED, WAIT);
  }

  private void passive() {
    row(EnumSet.of(IDLE), Input.REQ, REQ_RCVD, REQUESTED);
    row(ASKED, Input.REQ, MRA_REQ_SENT, SAY_MRA);
    row(ASKED, Input.ACCEPT, REP_SENT, ASK_REP);
    row(ASKED, Input.REJECT, GONE, SAY_REJ, END_CLOSED, FREE);
    row(ASKED, Input.DISCONNECT, GONE, SAY_REJ, END_CLOSED, FREE);
    row(ASKED, Input.CLOSE, GONE, SAY_REJ, END_CLOSED, FREE);
    row(ASKED, Input.REJ, GONE, END_REJECTED, FREE);
    row(ASKED, Input.REJ_STALE, GONE, END_REJECTED, FREE);
    row(REPLYING, Input.REQ, REP_SENT, REPEAT); // the REP was lost: sooner than by its timer
    row(REPLYING, Input.RTU, ESTABLISHED, STOP, UP);
    row(REPLYING, Input.DATA, ESTABLISHED, STOP, UP);
    row(EnumSet.of(REP_SENT), Input.MRA, MRA_REP_RCVD, LONGER);
    row(REPLYING, Input.AGAIN, REP_SENT, REPEAT, TIMER);
    // a late REQ must not open a second connection, so these wait (CM-42)
    row(REPLYING, Input.LAST, TIMEWAIT, SAY_REJ_TIMEOUT, END_UNREACHABLE, WAIT);
    row(REPLYING, Input.REJ, TIMEWAIT, END_REJECTED, WAIT);
    row(REPLYING, Input.REJ_STALE, TIMEWAIT, END_REJECTED, WAIT);
    // the peer may be established already, which a lost REJ would leave so for ever
    row(REPLYING, Input.DISCONNECT, DREQ_SENT, SAY_REJ, ASK_DREQ);
    row(REPLYING, Input.CLOSE, DREQ_SENT, SAY_REJ, ASK_DREQ);
    row(REPLYING, Input.DREQ, TIMEWAIT, SAY_DREP, END_DISCONNECTED, WAIT); // CM-43
  }

  private void connected() {
    Set<State> up = EnumSet.of(ESTABLISHED);
    row(up, Input.REP, ESTABLISHED, SAY_RTU); // the RTU was lost
    row(up, Input.LAP, ESTABLISHED, SAY_APR);
    row(up, Input.DISCONNECT, DREQ_SENT, ASK_DREQ);
    row(up, Input.CLOSE, DREQ_SENT, ASK_DREQ);
    row(up, Input.DREQ, TIMEWAIT, SAY_DREP, END_DISCONNECTED, WAIT);
    row(up, Input.REJ, TIMEWAIT, END_LOST, WAIT); // CM-8
    row(up, Input.REJ_STALE, TIMEWAIT, END_LOST, WAIT);
    Set<State> ending = EnumSet.of(DREQ_SENT);
    row(ending, Input.DREP, TIMEWAIT, END_DISCONNECTED, WAIT);
    row(ending, Input.DREQ, TIMEWAIT, SAY_DREP, END_DISCONNECTED, WAIT); // both disconnect
    row(ending, Input.REJ, TIMEWAIT, END_DISCONNECTED, WAIT);
    row(ending, Input.REJ_STALE, TIMEWAIT, END_DISCONNECTED, WAIT);
    row(ending, Input.REQ, DREQ_SENT, SAY_REJ); // the first REJ was lost
    row(ending, Input.AGAIN, DREQ_SENT, REPEAT, TIMER);
    row(ending, Input.LAST, TIMEWAIT, END_TIMED_OUT, WAIT);
    row(EnumSet.of(TIMEWAIT), Input.DREQ, TIMEWAIT, SAY_DREP);
    row(EnumSet.of(TIMEWAIT), Input.REQ, TIMEWAIT, SAY_REJ_STALE);
    row(EnumSet.of(TIMEWAIT), Input.REP, TIMEWAIT, SAY_REJ_STALE);
    row(EnumSet.of(TIMEWAIT), Input.LAST, GONE, FREE);
  }

  private void removed() {
    row(REQUESTING, Input.REMOVE, GONE, SAY_REJ_TIMEOUT, END_REMOVED, FREE);
    row(REPLIED_TO, Input.REMOVE, GONE, SAY_REJ, END_REMOVED, FREE);
    row(ASKED, Input.REMOVE, GONE, SAY_REJ, END_REMOVED, FREE);
    row(REPLYING, Input.REMOVE, GONE, SAY_REJ, END_REMOVED, FREE);
    row(EnumSet.of(ESTABLISHED, DREQ_SENT), Input.REMOVE, GONE, SAY_DREQ, END_REMOVED, FREE);
    row(EnumSet.of(TIMEWAIT), Input.REMOVE, GONE, FREE);
  }

  private void row(Set<State> in, Input input, State next, Act... acts) {
    for (State each : in) {
      Row row = new Row(next, List.of(acts));
      rows.computeIfAbsent(each, s -> new EnumMap<>(Input.class)).put(input, row);
    }
  }

  /** {@return the row of an input in a state, or null} */
  public @Nullable Row row(State state, Input input) {
    Map<Input, Row> of = rows.get(state);
    return of == null ? null : of.get(input);
  }

  /** {@return a copy in which one row is different, for tests that plant a bug} */
  StateTable with(State state, Input input, State next, Act... acts) {
    StateTable copy = new StateTable(this);
    copy.row(EnumSet.of(state), input, next, acts);
    return copy;
  }
}
