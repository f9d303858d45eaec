package ib.driver.verbs.cm;

import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorLink;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An ID of the kernel's connection manager that is a connection, or an attempt to make one. */
final class HostLink implements ConnectorLink {
  private final HostConnector.Opened opened;
  private final int id;
  private final long uid;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** The request of an active side; null for a passive one. */
  private final @Nullable ConnectorAttempt attempt;

  private volatile @Nullable ConnectorEvents events;

  HostLink(HostConnector.Opened opened, int id, long uid, @Nullable ConnectorAttempt attempt) {
    this.opened = opened;
    this.id = id;
    this.uid = uid;
    this.attempt = attempt;
  }

  int id() {
    return id;
  }

  long uid() {
    return uid;
  }

  @Nullable ConnectorAttempt attempt() {
    return attempt;
  }

  void heardBy(ConnectorEvents by) {
    events = by;
  }

  @Nullable ConnectorEvents events() {
    return closed.get() ? null : events;
  }

  @Override
  public void confirm() {
    opened.commands().confirm(id, uid);
  }

  @Override
  public void accept(ConnectorEndpoint mine, byte[] data) {
    opened.commands().accept(id, uid, mine, data);
  }

  @Override
  public void reject(byte[] data) {
    opened.commands().reject(id, data);
  }

  @Override
  public void dataArrived() {
    opened.commands().dataArrived(id);
  }

  @Override
  public void disconnect() {
    opened.commands().disconnect(id);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      opened.ended(this);
    }
  }

  @Override
  public String toString() {
    return "ID " + id + " of rdma_cm";
  }
}
