package ib.driver.verbs.cm;

import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorLink;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An ID of the kernel's connection manager that is a connection, or an attempt to make one. */
final class HostLink implements ConnectorLink {
  private final HostConnector.Opened opened;
  final int id;
  final long uid;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** The request of an active side; null for a passive one. */
  final @Nullable ConnectorAttempt attempt;

  private volatile @Nullable ConnectorEvents events;
  private boolean ended; // for the thread that reads the events

  HostLink(HostConnector.Opened opened, int id, long uid, @Nullable ConnectorAttempt attempt) {
    this.opened = opened;
    this.id = id;
    this.uid = uid;
    this.attempt = attempt;
  }

  void heardBy(ConnectorEvents by) {
    events = by;
  }

  /** {@return what hears the next event; null after the close and the end} For the thread. */
  @Nullable ConnectorEvents events() {
    return closed.get() || ended ? null : events;
  }

  /** Tells of the end, once. For the thread. */
  void ended(ConnectorEnd how, int status, byte[] data) {
    ConnectorEvents ear = events();
    ended = true;
    if (ear != null) {
      ear.ended(how, status, data);
    }
  }

  @Override
  public void confirm() {
    opened.commands.confirm(id, uid);
  }

  @Override
  public void accept(ConnectorEndpoint mine, byte[] data) {
    opened.commands.accept(id, uid, mine, data);
  }

  @Override
  public void reject(byte[] data) {
    opened.commands.reject(id, data);
  }

  @Override
  public void dataArrived() {
    opened.commands.dataArrived(id);
  }

  @Override
  public void disconnect() {
    opened.commands.disconnect(id);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      opened.links.ended(this);
    }
  }

  @Override
  public String toString() {
    return "ID " + id + " of rdma_cm";
  }
}
