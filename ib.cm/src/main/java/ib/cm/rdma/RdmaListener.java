package ib.cm.rdma;

import ib.cm.CmId;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QpType;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Listens to an address and a port, on every device that has the address, also on devices that come
 * later (API-6). Any thread may call.
 */
public final class RdmaListener implements AutoCloseable {
  private static final int MAX_WAITING = 65_536;

  final RdmaCm owner;
  private final InetSocketAddress address;
  private final int number = Identity.number();
  private final Set<QpType> types;
  final int backlog;
  private final Consumer<RdmaRequest> handler;
  private final Turns turns;
  private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

  /** Only {@code ib.cm.rdma} makes listeners. */
  RdmaListener(
      RdmaCm owner,
      InetSocketAddress address,
      Set<QpType> types,
      int backlog,
      Consumer<RdmaRequest> handler) {
    this.types = types;
    this.owner = owner;
    this.turns = new Turns(MAX_WAITING, owner.connections::graph);
    this.address = address;
    this.backlog = backlog;
    this.handler = handler;
  }

  /** {@return the listener for a list, at a port where it listens} */
  CmId id(Site site, String program, PortSpace space) {
    return new CmId(
        number,
        site.device().name(),
        site.port(),
        program,
        "LISTEN",
        space.toString(),
        types.stream().sorted().map(QpType::name).collect(Collectors.joining(",")),
        0,
        address,
        null);
  }

  /** {@return whether it accepts with a queue pair of a type} */
  boolean takes(QpType type) {
    return types.contains(type);
  }

  /** {@return whether a port serves it, by its address and the types of its queue pairs} */
  boolean servedBy(Site site, AddressBook book) {
    return site.serves(address.getAddress(), book) && typesAreAt(site);
  }

  /** {@return whether a port connects queue pairs of its types} */
  boolean typesAreAt(Site site) {
    return site.has(types);
  }

  /** {@return whether the request will be handled} */
  boolean offer(RdmaRequest request) {
    return turns.offer(() -> hear(request));
  }

  private void hear(RdmaRequest request) {
    try {
      handler.accept(request);
    } catch (Throwable e) { // of code that is not ours
      LoggerFactory.getLogger(RdmaListener.class).error("the handler of {} failed", this, e);
      owner.incidents.refused("the handler failed", () -> request.remoteAddress().toString());
      request.refuse();
    }
  }

  /** {@return address and port; the address of a wildcard listener is 0.0.0.0 or ::} */
  @AnyContext
  public InetSocketAddress localAddress() {
    return address;
  }

  /**
   * Stops to listen: requests that were not answered are rejected with reason 28, later ones with
   * reason 8 (CM-46). Connections stay. When this returns, its handler does not run and will not
   * run; inside of a callback that is so when the callback has returned.
   */
  @Override
  @MaySleep
  @Fence
  public void close() {
    owner.forget(this);
    turns.fence(toString());
    turns.discard();
    closed.complete(null);
  }

  /** {@return completes when the listener has been closed, with its {@link RdmaCm} for example} */
  @AnyContext
  public CompletableFuture<@Nullable Void> closed() {
    return closed.copy();
  }

  @Override
  public String toString() {
    return "listener at " + Routes.text(address);
  }
}
