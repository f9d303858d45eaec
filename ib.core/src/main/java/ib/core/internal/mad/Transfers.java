package ib.core.internal.mad;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadSource;
import ib.core.mad.RmppException;
import ib.core.mad.RmppStatus;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Errno;
import ib.core.verbs.IbException;
import ib.core.verbs.WellKnown;
import ib.core.wire.RmppHeader;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The RMPP transfers of one port, both directions (M7). On the port's queue. */
final class Transfers {
  private record Sending(Agent agent, RmppSend transfer, Pending<@Nullable Void> result) {}

  private static final String VERSION = "a version of RMPP that is not 1";
  private static final String TYPE = "a type of RMPP that there is not";
  private static final String NO_RECEIVE = "a message by RMPP that there is no room for";

  private final MadPort port;
  private final Map<Rmpp.Key, Sending> sends = new HashMap<>();
  private final Receives requests = new Receives();
  private final Receives responses = new Receives();

  Transfers(MadPort port) {
    this.port = port;
  }

  // ---- sending ----

  /** Sends a request that is longer than a datagram, or double-sided. */
  void request(Exchange e) {
    Rmpp.Key key = Rmpp.Key.of(e.request.header(), false, e.to.ah());
    Pending<@Nullable Void> sent = new Pending<>();
    RmppSend s =
        new RmppSend(
            e.request,
            e.to,
            port,
            e.timeoutNs,
            e.retries,
            failure -> {
              sends.remove(key);
              e.sending = null;
              if (failure != null) {
                port.exchanges.done(e);
                e.fail(failure);
              } else if (port.exchanges.waiting(e.tid()) != null) {
                turnAround(e);
              }
            });
    e.sending = s;
    sends.put(key, new Sending(e.agent, s, sent));
    s.start(1);
  }

  /** Grants the responder a window, because the whole request has arrived (IBA 13.6.6). */
  private void turnAround(Exchange e) {
    if (e.request.header().method() == MadMethod.GET_MULTI) {
      port.transmit(
          Rmpp.control(e.request, false, RmppHeader.TYPE_ACK, RmppStatus.NORMAL, 0, Rmpp.WINDOW),
          e.to);
    }
    if (e.alarm == null) {
      port.exchanges.awaitResponse(e);
    }
  }

  /** Cancels a request, and the segments of it that are still to be sent. */
  void cancel(Exchange e) {
    Sending s = sends.remove(Rmpp.Key.of(e.request.header(), false, e.to.ah()));
    if (s != null) {
      s.transfer.cancel();
    }
  }

  /** Sends a response, or another message that gets no response. */
  void message(Agent agent, Mad mad, MadAddress to, Pending<@Nullable Void> sent) {
    boolean response = mad.header().response();
    Rmpp.Key key = Rmpp.Key.of(mad.header(), response, to.ah());
    if (sends.containsKey(key)) {
      MadPort.finish(
          agent,
          sent,
          new IbException(
              Errno.EBUSY, agent + ".send " + mad, "it is being sent already", "after its end"));
      return;
    }
    RmppSend s =
        new RmppSend(
            mad,
            to,
            port,
            Rmpp.RESPONSE_NS,
            Rmpp.RESPONSE_RETRIES,
            failure -> {
              sends.remove(key);
              MadPort.finish(agent, sent, failure);
            });
    sends.put(key, new Sending(agent, s, sent));
    Receives.Receiving asked = requests.get(Rmpp.Key.of(mad.header(), false, to.ah()));
    s.start(asked == null ? 1 : asked.transfer().replyWindow());
  }

  /**
   * Refuses a datagram that fits no transfer; does not answer an ABORT or STOP (IBA 13.6.2.2). The
   * request that it would have answered ends with the reason: no other answer will come.
   */
  private void refuse(Mad mad, MadSource source, RmppStatus why, @Nullable Exchange e) {
    AhAttr back = source.answer();
    int type = mad.rmpp().rmppType();
    if (back != null && type != RmppHeader.TYPE_ABORT && type != RmppHeader.TYPE_STOP) {
      port.count(Counter.RMPP_ABORTS);
      port.transmit(Rmpp.refusal(mad, why), address(back, source));
    }
    end(e, new RmppException(why, "receiving " + mad, false));
  }

  /** Ends a request that waits for its answer; one that has ended stays as it is. */
  private void end(@Nullable Exchange e, RmppException why) {
    if (e != null && e.equals(port.exchanges.waiting(e.tid()))) {
      port.exchanges.done(e);
      e.fail(why);
    }
  }

  private static MadAddress address(AhAttr back, MadSource source) {
    return new MadAddress(back, source.srcQp(), WellKnown.QP1_QKEY, source.pkeyIndex());
  }

  private boolean known(Mad mad, MadSource source, @Nullable Exchange e) {
    if (mad.rmpp().rmppVersion() == RmppHeader.VERSION) {
      return true;
    }
    port.refused(Counter.MALFORMED, VERSION, source);
    refuse(mad, source, RmppStatus.UNSUPPORTED_VERSION, e);
    return false;
  }

  /**
   * Handles an ACK, STOP or ABORT: for the sender of the opposite direction, for a receiver, or for
   * the request that it answers before any data.
   */
  void control(Mad mad, MadSource source, @Nullable Exchange e) {
    if (!known(mad, source, e)) {
      return;
    }
    RmppHeader h = mad.rmpp();
    boolean response = mad.header().response();
    AhAttr peer = source.answer();
    Sending s = sends.get(Rmpp.Key.of(mad.header(), !response, peer));
    Receives.Receiving r =
        (response ? responses : requests).get(Rmpp.Key.of(mad.header(), response, peer));
    RmppStatus status =
        Objects.requireNonNullElse(RmppStatus.of(h.rmppStatus()), RmppStatus.ILLEGAL_STATUS);
    switch (h.rmppType()) {
      case RmppHeader.TYPE_ACK -> {
        if (s != null) {
          s.transfer.acknowledged(h.segmentNumber(), h.newWindowLast());
        } else if (r != null && h.segmentNumber() == 0) {
          r.transfer().turnAround(Math.min(h.newWindowLast(), Rmpp.MAX_SEGMENTS));
        } else {
          port.count(Counter.LATE);
        }
      }
      case RmppHeader.TYPE_STOP, RmppHeader.TYPE_ABORT -> {
        if (s != null) {
          s.transfer.stopped(status);
        }
        if (r != null) {
          r.transfer().aborted(status);
        }
        if (r == null) {
          end(e, new RmppException(status, "receiving " + mad, true));
        }
        if (s == null && r == null && e == null) {
          port.count(Counter.LATE);
        }
      }
      default -> {
        port.refused(Counter.MALFORMED, TYPE, source);
        refuse(mad, source, RmppStatus.BAD_TYPE, e);
      }
    }
  }

  // ---- receiving ----

  /** Handles a segment of a request that an agent is registered for. */
  void request(Agent agent, Mad mad, MadSource source) {
    if (!known(mad, source, null)) {
      return;
    }
    Rmpp.Key key = Rmpp.Key.of(mad.header(), false, source.answer());
    Receives.Receiving r = requests.get(key);
    if (r == null) {
      r = open(requests, agent, key, mad, source, m -> agent.deliver(new MadReceived(m, source)));
    }
    if (r != null) {
      r.transfer().data(mad);
    }
  }

  /** Handles a segment of a response; its request may have ended. */
  void response(Mad mad, MadSource source, @Nullable Exchange e) {
    if (!known(mad, source, e)) {
      return;
    }
    Rmpp.Key key = Rmpp.Key.of(mad.header(), true, source.answer());
    Receives.Receiving r = responses.get(key);
    if (r == null && e != null) {
      r = open(responses, e.agent, key, mad, source, new ToExchange(e, source));
      if (r != null) {
        e.disarm(); // from now on the transfer's own time counts
        RmppSend s = e.sending;
        if (s != null) {
          s.answered();
          e.disarm();
        }
      }
    } else if (r == null) {
      port.count(Counter.LATE);
    }
    if (r != null) {
      r.transfer().data(mad);
    }
  }

  private Receives.@Nullable Receiving open(
      Receives receives,
      Agent agent,
      Rmpp.Key key,
      Mad mad,
      MadSource source,
      RmppReceive.End end) {
    AhAttr back = source.answer();
    if (back == null || mad.rmpp().segmentNumber() != 1) {
      port.count(Counter.LATE);
      return null;
    }
    if (!receives.admits()) {
      port.refused(Counter.RMPP_NO_ROOM, NO_RECEIVE, source);
      refuse(mad, source, RmppStatus.RESOURCES_EXHAUSTED, null);
      end.failed(new RmppException(RmppStatus.RESOURCES_EXHAUSTED, "receiving " + mad, false));
      return null;
    }
    MadAddress to = address(back, source);
    Receives.Receiving r =
        new Receives.Receiving(agent, new RmppReceive(key, source, to, receives, port, end));
    receives.put(key, r);
    return r;
  }

  private final class ToExchange implements RmppReceive.End {
    private final Exchange exchange;
    private final MadSource source;

    ToExchange(Exchange exchange, MadSource source) {
      this.exchange = exchange;
      this.source = source;
    }

    @Override
    public void message(Mad message) {
      if (exchange.equals(port.exchanges.waiting(exchange.tid()))) {
        port.exchanges.done(exchange);
        exchange.complete(new MadReceived(message, source));
      }
    }

    @Override
    public void failed(RmppException why) {
      end(exchange, why);
    }
  }

  // ---- the end ----

  /** Ends the transfers of a closed agent, without an ABORT. */
  void leave(Agent agent) {
    sends
        .values()
        .removeIf(
            s -> {
              if (s.agent.equals(agent)) {
                s.transfer.cancel();
                MadPort.finish(agent, s.result, agent.gone());
                return true;
              }
              return false;
            });
    requests.leave(agent);
    responses.leave(agent);
  }
}
