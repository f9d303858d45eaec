package ib.ulp.ipoib.cm;

import ib.cm.CmConnection;
import ib.cm.CmDatagram;
import ib.cm.CmDatagramRequest;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmHandler;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.cm.internal.machine.Listener;
import ib.cm.internal.machine.Station;
import ib.core.verbs.AhAttr;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The product's connection manager of a port in virtual time, used by one thread. */
final class VirtualPort implements CmPort {
  private final Station station;

  VirtualPort(Station station) {
    this.station = station;
  }

  /** A connection whose events are heard in the call that causes them. */
  private final class Live implements CmConnection, Consumer<CmEvent> {
    private final ib.cm.internal.machine.Connection connection;
    private final CmHandler handler;

    Live(ib.cm.internal.machine.Connection connection, CmHandler handler) {
      this.connection = connection;
      this.handler = handler;
    }

    @Override
    public void accept(CmEvent event) {
      handler.heard(this, event);
    }

    @Override
    public int localId() {
      return connection.id();
    }

    @Override
    public String state() {
      return connection.state().name();
    }

    @Override
    public AhAttr source() {
      return connection.way();
    }

    @Override
    public void accept(CmEndpoint mine, byte[] privateData) {
      station.accept(connection, mine, privateData);
    }

    @Override
    public void reject(int reason, byte[] info, byte[] privateData) {
      station.reject(connection, reason, info, privateData);
    }

    @Override
    public void ready(byte[] privateData) {
      station.ready(connection, privateData);
    }

    @Override
    public void dataArrived() {
      station.dataArrived(connection);
    }

    @Override
    public void disconnect(byte[] privateData) {
      station.disconnect(connection, privateData);
    }

    @Override
    public void end() {
      station.close(connection);
    }
  }

  @Override
  public CmConnection connect(
      long serviceId,
      CmPath path,
      CmEndpoint mine,
      CmTerms terms,
      byte[] privateData,
      CmHandler handler) {
    Live[] live = {null};
    station.connect(
        serviceId,
        path,
        mine,
        terms,
        privateData,
        made -> {
          live[0] = new Live(made, handler);
          return live[0];
        });
    return live[0];
  }

  @Override
  public Set<QpType> types() {
    return Set.of(QpType.RC);
  }

  @Override
  public CmListener listen(
      long serviceId,
      Set<QpType> types,
      Predicate<InetAddress> wanted,
      int backlog,
      CmHandler handler) {
    Listener listener = station.listen(serviceId, types, backlog, made -> new Live(made, handler));
    return new CmListener() {
      @Override
      public long serviceId() {
        return serviceId;
      }

      @Override
      public void backlog(int requests) {
        listener.backlog(requests);
      }

      @Override
      public void close() {
        station.unlisten(listener);
      }
    };
  }

  @Override
  public CompletableFuture<CmDatagram> resolve(
      long serviceId, CmPath path, CmTerms terms, byte[] privateData) {
    throw new UnsupportedOperationException("IPoIB asks for no datagram service");
  }

  @Override
  public CmListener serve(long serviceId, int backlog, Consumer<CmDatagramRequest> handler) {
    throw new UnsupportedOperationException("IPoIB has no datagram service");
  }

  @Override
  public Map<String, Long> counters() {
    return station.counters();
  }

  @Override
  public void close() {
    throw new AssertionError("shared");
  }
}
