package ib.driver.verbs.cm;

import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorEvents;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Understands the kernel's events. For the thread that reads them. */
final class UcmEvents {
  static final String STRUCT = "rdma_ucm_event_resp";
  private static final long UID = Layout.at("rdma_ucm_event_resp", "uid", 8);
  private static final long ID = Layout.at("rdma_ucm_event_resp", "id", 4);
  private static final long EVENT = Layout.at("rdma_ucm_event_resp", "event", 4);
  private static final long STATUS = Layout.at("rdma_ucm_event_resp", "status", 4);
  private static final long PARAM = Layout.at("rdma_ucm_event_resp", "param.conn");
  private static final long UD_PARAM = Layout.at("rdma_ucm_event_resp", "param.ud");
  private static final int REQ_DATA = 56;
  private static final int QUESTION_DATA = 180;
  private static final int REP_DATA = 196;
  private static final int ETIMEDOUT = 110;
  private static final byte[] NONE = {};

  private final HostConnector.Opened opened;
  private final long guid;

  UcmEvents(HostConnector.Opened opened, long guid) {
    this.opened = opened;
    this.guid = guid;
  }

  /** Hears one event; the numbers are those of {@code enum rdma_cm_event_type}. */
  void hear(MemorySegment event) {
    long uid = event.get(ValueLayout.JAVA_LONG, UID);
    int id = event.get(ValueLayout.JAVA_INT, ID);
    int type = event.get(ValueLayout.JAVA_INT, EVENT);
    HostInquiry inquiry = opened.datagrams.inquiry(uid);
    if (inquiry != null) {
      int status = event.get(ValueLayout.JAVA_INT, STATUS);
      inquiry.hear(type, status, UdParam.read(event, UD_PARAM), guid);
      return;
    }
    if (type == 4 && opened.datagrams.isService(uid)) {
      opened.datagrams.asked(uid, id, UdParam.read(event, UD_PARAM).data(QUESTION_DATA));
      return;
    }
    if (type == 4) { // CONNECT_REQUEST
      opened.links.arrived(
          uid, id, ConnParam.peer(event, PARAM), ConnParam.data(event, PARAM, REQ_DATA));
      return;
    }
    HostLink link = opened.links.link(uid, id);
    ConnectorEvents events = link == null ? null : link.events();
    if (link == null || events == null) {
      return; // it was closed meanwhile
    }
    try {
      hear(link, events, type, event);
    } catch (IbException e) {
      opened.log(link + ": " + e.getMessage());
      link.ended(ConnectorEnd.FAILED, e.errno().value(), NONE);
    }
  }

  private void hear(HostLink link, ConnectorEvents events, int type, MemorySegment event) {
    int status = event.get(ValueLayout.JAVA_INT, STATUS);
    ConnectorAttempt attempt = link.attempt;
    switch (type) {
      case 0 -> addressResolved(link); // ADDR_RESOLVED
      case 1, 3 -> link.ended(ConnectorEnd.UNRESOLVED, -status, NONE); // ADDR_, ROUTE_ERROR
      case 2 -> { // ROUTE_RESOLVED
        if (attempt != null) {
          opened.commands.connect(link.id, attempt.mine(), attempt.retryCount(), attempt.data());
        }
      }
      case 5 -> // CONNECT_RESPONSE
          events.replied(
              ConnParam.peer(event, PARAM),
              opened.commands.steps(link.id).psns(),
              ConnParam.data(event, PARAM, REP_DATA));
      case 6 -> link.ended(ConnectorEnd.FAILED, -status, NONE); // CONNECT_ERROR
      case 7 -> link.ended(ConnectorEnd.UNREACHABLE, 0, NONE);
      case 8 -> link.ended(ConnectorEnd.REJECTED, status, ConnParam.data(event, PARAM));
      case 9 -> events.established();
      case 10 ->
          link.ended(
              status == -ETIMEDOUT ? ConnectorEnd.TIMED_OUT : ConnectorEnd.DISCONNECTED,
              0,
              ConnParam.data(event, PARAM));
      case 11 -> link.ended(ConnectorEnd.REMOVED, 0, NONE); // DEVICE_REMOVAL
      default -> {} // ADDR_CHANGE, TIMEWAIT_EXIT, and what later kernels have
    }
  }

  private void addressResolved(HostLink link) {
    UcmCommands.Place place = opened.commands.place(link.id);
    ConnectorAttempt attempt = link.attempt;
    if (place.guid() != guid || attempt == null || place.port() != attempt.port()) {
      throw new IbNoDeviceException(
          link.toString(), "the kernel goes by another device or port", "ip route get");
    }
    opened.commands.resolveRoute(link.id);
  }
}
