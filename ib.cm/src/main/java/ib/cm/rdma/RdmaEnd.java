package ib.cm.rdma;

import ib.cm.CmEnd;
import ib.cm.CmEvent;
import ib.cm.CmTerms;
import ib.cm.CmUnresolvedException;
import ib.core.verbs.Errno;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbTimedOutException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;

/**
 * How a connection, or the attempt to make one, has ended.
 *
 * @param kind how
 * @param status as librdmacm has it: the reason of a rejection (IBA table 108), the status of a
 *     datagram service that refuses (IBA 12.11.2), a negative error number, or 0
 * @param data private data of the message that has ended it; empty when no message has
 * @param why the same as an exception, which says what to try
 */
public record RdmaEnd(Kind kind, int status, byte[] data, IbException why) {
  /** The ways to end; their names are those of librdmacm's events, but for CLOSED. */
  public enum Kind {
    /** The destination, or the way to it, is unknown; nothing was sent. */
    ADDR_ERROR,
    /** The queue pair could not be made or moved. */
    CONNECT_ERROR,
    /** The peer has not answered, or its datagram service refuses. */
    UNREACHABLE,
    /** The peer has rejected it, or does not know it any more. */
    REJECTED,
    /** One side has disconnected; status -110 when the peer has not confirmed it. */
    DISCONNECTED,
    /** The device goes. */
    DEVICE_REMOVAL,
    /** This side has closed it. */
    CLOSED
  }

  /** {@return whether no side has asked for this end} */
  boolean isFailure() {
    return switch (kind) {
      case ADDR_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED, DEVICE_REMOVAL -> true;
      case DISCONNECTED -> status != 0;
      case CLOSED -> false;
    };
  }

  /** {@return librdmacm's name of the event, such as RDMA_CM_EVENT_REJECTED} */
  public String event() {
    return "RDMA_CM_EVENT_" + kind;
  }

  /** {@return the end of a connection that {@code ib.cm} has heard of} */
  static RdmaEnd of(String what, CmEvent.Ended ended, CmTerms terms) {
    byte[] data = ended.privateData();
    int reason = ended.reason();
    CmEnd how = ended.how();
    return switch (how) {
      case REJECTED, LOST -> {
        yield new RdmaEnd(
            Kind.REJECTED, reason, data, new RdmaRejectedException(what, reason, ended.info()));
      }
      case UNREACHABLE -> {
        String sent = " to up to " + (terms.maxRetries() + 1) + " messages";
        String time = terms.deadlineMs() == 0 ? "" : " in up to " + terms.deadlineMs() + " ms";
        var why = new IbTimedOutException(what, how.text() + sent + time, how.hint());
        yield failed(Kind.UNREACHABLE, why);
      }
      case TIMED_OUT ->
          failed(Kind.DISCONNECTED, new IbTimedOutException(what, how.text(), how.hint()));
      case DISCONNECTED -> gone(Kind.DISCONNECTED, what, how, data);
      case UNRESOLVED -> failed(Kind.ADDR_ERROR, refused(what, reason));
      case FAILED -> failed(Kind.CONNECT_ERROR, refused(what, reason));
      case REMOVED -> removal(what);
      case CLOSED -> gone(Kind.CLOSED, what, how, data);
    };
  }

  /** {@return the exception for an error number of the host's connection manager} */
  private static IbException refused(String what, int errno) {
    Errno known =
        Arrays.stream(Errno.values())
            .filter(e -> e.value() == errno)
            .findFirst()
            .orElse(Errno.EINVAL);
    return new IbException(
        known,
        what,
        "the host's connection manager gives up, error " + errno,
        "ip route get, ip neigh, rdma link: whether the host reaches the address by the device");
  }

  /** {@return the end of a question for a datagram service that has no answer, or a refusal} */
  static RdmaEnd unresolved(String what, Throwable why) {
    return switch (why) {
      case CmUnresolvedException e ->
          new RdmaEnd(Kind.UNREACHABLE, e.status(), e.privateData(), e); // as Linux has it
      case IbTimedOutException e -> failed(Kind.UNREACHABLE, e);
      case IbDisassociatedException e -> removal(what);
      case CancellationException e -> closed(what);
      case IbNoDeviceException e -> failed(Kind.ADDR_ERROR, e); // the host's, which asks for ways
      case IbException e -> failed(Kind.CONNECT_ERROR, e);
      default -> // of code that is not ours
          failed(
              Kind.CONNECT_ERROR,
              IbInvalidException.of(what, why.toString(), "mend what has thrown it", why));
    };
  }

  /** {@return the end of an attempt to connect, before the peer has heard of it} */
  static RdmaEnd unmade(String what, boolean routeFound, IbException why) {
    if (why instanceof IbDisassociatedException) {
      return removal(what);
    }
    return failed(routeFound ? Kind.CONNECT_ERROR : Kind.ADDR_ERROR, why);
  }

  static RdmaEnd closed(String what) {
    return gone(Kind.CLOSED, what, CmEnd.CLOSED, new byte[0]);
  }

  static RdmaEnd removal(String what) {
    return gone(Kind.DEVICE_REMOVAL, what, CmEnd.REMOVED, new byte[0]);
  }

  private static RdmaEnd gone(Kind kind, String what, CmEnd how, byte[] data) {
    var why = new IbDisassociatedException(what, how.text(), how.hint());
    return new RdmaEnd(kind, 0, data, why);
  }

  /** {@return the end because of an error of this side} */
  static RdmaEnd failed(Kind kind, IbException why) {
    Errno errno = why.errno();
    return new RdmaEnd(kind, -errno.value(), new byte[0], why);
  }

  /** {@return the kind and the status, for a person} */
  @Override
  public String toString() {
    return event() + ", error " + status;
  }
}
