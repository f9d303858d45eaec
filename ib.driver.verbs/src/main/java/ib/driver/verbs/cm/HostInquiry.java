package ib.driver.verbs.cm;

import ib.core.cm.ConnectorAnswer;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorInquiry;
import ib.core.cm.ConnectorPending;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.driver.verbs.abi.Libc;
import java.util.concurrent.atomic.AtomicBoolean;

/** An ID of the kernel's connection manager that is a question for a datagram service. */
final class HostInquiry implements ConnectorPending {
  private static final byte[] NONE = {};
  private static final int ANSWER_DATA = 136;

  private final HostConnector.Opened opened;
  final int id;
  final long uid;
  private final ConnectorInquiry what;
  private final ConnectorAnswer answer;
  private final AtomicBoolean closed = new AtomicBoolean();
  private boolean over; // for the thread that reads the events

  HostInquiry(
      HostConnector.Opened opened,
      int id,
      long uid,
      ConnectorInquiry what,
      ConnectorAnswer answer) {
    this.opened = opened;
    this.id = id;
    this.uid = uid;
    this.what = what;
    this.answer = answer;
  }

  /** Hears an event; the numbers are those of {@code enum rdma_cm_event_type}. For the thread. */
  void hear(int type, int status, UdParam param, long guid) {
    try {
      switch (type) {
        case 0 -> addressResolved(guid);
        case 1, 3 -> ended(ConnectorEnd.UNRESOLVED, -status, NONE); // ADDR_, ROUTE_ERROR
        case 2 -> opened.commands.ask(id, what.data()); // ROUTE_RESOLVED
        case 6 -> ended(ConnectorEnd.FAILED, -status, NONE); // CONNECT_ERROR
        case 7 -> { // UNREACHABLE, with the status of a service that refuses
          if (status > 0) {
            ended(ConnectorEnd.REJECTED, status, param.data(ANSWER_DATA));
          } else {
            ended(ConnectorEnd.UNREACHABLE, Libc.ETIMEDOUT, NONE);
          }
        }
        case 9 -> { // ESTABLISHED
          if (!over && !closed.get()) {
            over = true;
            answer.answered(param.qpn(), param.qkey(), param.data(ANSWER_DATA));
          }
        }
        case 11 -> ended(ConnectorEnd.REMOVED, 0, NONE); // DEVICE_REMOVAL
        default -> {} // what later kernels have
      }
    } catch (IbException e) {
      opened.log(this + ": " + e.getMessage());
      ended(ConnectorEnd.FAILED, e.errno().value(), NONE);
    }
  }

  private void addressResolved(long guid) {
    UcmCommands.Place place = opened.commands.place(id);
    if (place.guid() != guid || place.port() != what.port()) {
      throw new IbNoDeviceException(
          toString(), "the kernel goes by another device or port", "ip route get");
    }
    opened.commands.resolveRoute(id);
  }

  /** Tells of the end, once. For the thread. */
  void ended(ConnectorEnd how, int status, byte[] data) {
    if (!over && !closed.get()) {
      over = true;
      answer.ended(how, status, data);
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      opened.datagrams.ended(this);
    }
  }

  @Override
  public String toString() {
    return "ID " + id + " of rdma_cm";
  }
}
