package ib.driver.verbs.cm;

import ib.core.cm.ConnectorAnswer;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorInquiry;
import ib.core.cm.ConnectorPending;
import ib.core.cm.ConnectorQuestion;
import ib.core.cm.ConnectorSpace;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The datagram services of a connector, and its questions for those of others. */
final class HostDatagrams {
  private final HostConnector.Opened opened;
  private final Map<Long, Consumer<ConnectorQuestion>> services = new ConcurrentHashMap<>();
  private final Map<Long, HostInquiry> inquiries = new ConcurrentHashMap<>();

  HostDatagrams(HostConnector.Opened opened) {
    this.opened = opened;
  }

  /** Enters what hears of the peers that ask at a listener, by the listener's number. */
  void enter(long listener, Consumer<ConnectorQuestion> questions) {
    services.put(listener, questions);
  }

  /** Forgets a listener; {@return whether it was one of a service} */
  boolean remove(long listener) {
    return services.remove(listener) != null;
  }

  boolean isService(long listener) {
    return services.containsKey(listener);
  }

  /** {@return a question of this side; null when there is none of that number} */
  @Nullable HostInquiry inquiry(long uid) {
    return inquiries.get(uid);
  }

  /** Asks for a service. */
  ConnectorPending resolve(ConnectorInquiry what, ConnectorAnswer answer) {
    long uid = opened.uid();
    int id = opened.commands.create(ConnectorSpace.UDP, uid);
    HostInquiry made = new HostInquiry(opened, id, uid, what, answer);
    inquiries.put(uid, made);
    boolean done = false;
    try {
      opened.check();
      if (what.trafficClass() != 0) {
        opened.commands.trafficClass(id, what.trafficClass());
      }
      opened.commands.resolveAddress(id, what.local(), what.remote(), opened.scope(what.local()));
      done = true;
      return made;
    } finally {
      if (!done) {
        made.close();
      }
    }
  }

  /** A peer asks for a datagram service; for the thread. */
  void asked(long service, int id, byte[] data) {
    boolean taken = false;
    try {
      Consumer<ConnectorQuestion> ear = services.get(service);
      if (ear != null) {
        ear.accept(new HostQuestion(opened.commands, id, opened.commands.place(id), data));
        taken = true;
      }
    } finally {
      if (!taken) {
        opened.commands.destroy(id); // the kernel refuses it
      }
    }
  }

  /** Forgets a question of this side, and has the kernel end it. */
  void ended(HostInquiry inquiry) {
    opened.commands.destroy(inquiry.id);
    inquiries.remove(inquiry.uid, inquiry);
  }

  /** The kernel tells no more events: each question ends. */
  void fail(int errno) {
    for (HostInquiry each : inquiries.values()) {
      opened.end(each, () -> each.ended(ConnectorEnd.FAILED, errno, new byte[0]));
    }
  }
}
