package ib.core.internal.mad;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a port that wait for a response (M5): gives them transaction identifiers, sends
 * them again, and fails them when no response comes. Used on the port's queue only (M2).
 */
final class Exchanges {
  private final MadPort port;
  private final Map<Long, Exchange> exchanges = new HashMap<>();
  private int lowTid = ThreadLocalRandom.current().nextInt(); // not to be guessed (D9)

  Exchanges(MadPort port) {
    this.port = port;
  }

  /** Fails the requests of an agent that is closed (M6). */
  void leave(Agent agent) {
    for (Exchange e : exchanges.values().toArray(Exchange[]::new)) {
      if (e.agent.equals(agent)) {
        exchanges.remove(e.tid());
        e.fail(agent.gone());
      }
    }
  }

  /** Sends a request, and waits for its response. */
  void begin(Exchange e) {
    if (e.result.isDone()) {
      return; // cancelled before it began
    }
    var h = e.request.header();
    long low = h.transactionId() & 0xffffffffL;
    while (low == 0 || exchanges.containsKey(tid(e.agent, low))) {
      if (low != 0 && low == (h.transactionId() & 0xffffffffL)) {
        e.fail(
            new IbInvalidException(
                e.agent + ".query",
                "transaction " + low + " is under way",
                "transaction id 0, for which the layer chooses a free one"));
        return;
      }
      low = ++lowTid & 0xffffffffL;
    }
    h.transactionId(tid(e.agent, low));
    boolean rmpp = e.agent.rmpp() && (e.request.isLong() || Rmpp.method(h));
    if (e.request.isLong() && !rmpp) {
      e.fail(MadPort.tooLong(e.agent, e.request));
      return;
    }
    exchanges.put(e.tid(), e);
    if (rmpp) {
      port.transfers.request(e);
    } else {
      attempt(e);
    }
  }

  private static long tid(Agent agent, long low) {
    return (long) agent.hiTid() << 32 | low;
  }

  private void attempt(Exchange e) {
    e.alarm = port.after(e.timeoutNs, () -> timeout(e));
    port.transmit(
        e.request,
        e.to,
        failure -> {
          if (failure != null && exchanges.remove(e.tid(), e)) {
            e.fail(new IbInvalidException(e.agent + ".query " + e.request, failure, ""));
          }
        });
  }

  private void timeout(Exchange e) {
    if (!e.equals(exchanges.get(e.tid()))) {
      return;
    }
    if (e.retriesLeft-- > 0) {
      port.counters.add(Counter.RETRIES);
      attempt(e);
      return;
    }
    exchanges.remove(e.tid());
    port.counters.add(Counter.TIMEOUTS);
    e.fail(
        new IbTimedOutException(
            e.agent + ".query " + e.request,
            "no response from "
                + e.to
                + " in "
                + (e.retries + 1)
                + " attempts of "
                + TimeUnit.NANOSECONDS.toMillis(e.timeoutNs)
                + " ms",
            "ibping, or a longer time"));
  }

  /** The whole request has arrived by RMPP: the response has its own time. */
  void awaitResponse(Exchange e) {
    e.alarm = port.after(e.timeoutNs * (e.retries + 1), () -> timeout(e));
    e.retriesLeft = 0;
  }

  /** {@return the request that waits for a response with that identifier} */
  @Nullable Exchange waiting(long tid) {
    return exchanges.get(tid);
  }

  /** Ends the wait for a response: it is there, or the request has failed. */
  void done(Exchange e) {
    exchanges.remove(e.tid());
  }

  /** Ends a cancelled request. */
  void forget(Exchange e) {
    if (exchanges.remove(e.tid(), e)) {
      e.disarm();
      port.transfers.cancel(e);
    }
  }
}
