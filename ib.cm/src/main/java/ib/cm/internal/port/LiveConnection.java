package ib.cm.internal.port;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmHandler;
import ib.cm.internal.machine.Connection;
import ib.core.serial.Mailbox;
import ib.core.verbs.AhAttr;

/** A connection with the events that its handler has not heard yet. */
final class LiveConnection extends Mailbox<CmEvent> implements CmConnection {
  private static final int MAX_EVENTS = 8; // more than a connection ever has

  private final Share share;
  final Connection connection;
  private final CmHandler handler;

  LiveConnection(Share share, Connection connection, CmHandler handler) {
    super(Share.CALLBACKS, MAX_EVENTS);
    this.share = share;
    this.connection = connection;
    this.handler = handler;
  }

  @Override
  protected void hear(CmEvent event) {
    if (event instanceof CmEvent.Ended end) {
      share.ended(connection, end);
    }
    try {
      handler.heard(this, event);
    } finally {
      if (event instanceof CmEvent.Released) {
        share.gone(this);
      }
    }
  }

  @Override
  public int localId() {
    return connection.id();
  }

  @Override
  public AhAttr source() {
    return share.port.make(s -> connection.way());
  }

  @Override
  public String state() {
    return share.port.make(s -> connection.state().name());
  }

  @Override
  public void accept(CmEndpoint mine, byte[] privateData) {
    share.port.run(s -> s.accept(connection, mine, privateData));
  }

  @Override
  public void reject(int reason, byte[] info, byte[] privateData) {
    share.port.run(s -> s.reject(connection, reason, info, privateData));
  }

  @Override
  public void ready(byte[] privateData) {
    share.port.run(s -> s.ready(connection, privateData));
  }

  @Override
  public void dataArrived() {
    share.port.run(s -> s.dataArrived(connection));
  }

  @Override
  public void disconnect(byte[] privateData) {
    share.port.run(s -> s.disconnect(connection, privateData));
  }

  @Override
  public void end() {
    share.port.run(s -> s.close(connection));
  }

  @Override
  public String toString() {
    return connection.toString();
  }
}
