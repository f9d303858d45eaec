package ib.core.sa;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.MaySleep;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The subnet administrator as one port sees it (kernel: ib_sa_client). It belongs to the client
 * whose handle opened it, as a {@link ib.core.mad.MadAgent} does.
 *
 * <p>Every question is asynchronous and can be cancelled. It fails at once with {@link
 * NoSubnetManagerException} while the port is not active or knows no subnet manager; with {@link
 * SaException} when the answer is not what was asked for; with {@link
 * ib.core.verbs.IbTimedOutException} when there was none; with {@link
 * ib.core.verbs.IbDisassociatedException} when this was closed. The time allowed is divided among
 * 10 attempts (M5). A redirection to another port is followed once (IBA 13.5.2). Answers come one
 * at a time, never on the caller's stack (M11).
 */
public interface SaClient extends AutoCloseable {
  /** Time for a question unless another is given, in milliseconds. */
  int TIMEOUT_MS = 3000;

  /**
   * Opens the way to the subnet administrator of a port.
   *
   * @param device the handle given to {@code IbClient.add}, or a lease's
   * @param port from 1
   * @return the client side; the caller closes it
   * @throws ib.core.verbs.IbNotSupportedException when the port's link layer is not InfiniBand:
   *     RoCE has no subnet administrator
   */
  @MaySleep
  static SaClient open(IbDevice device, int port) {
    if (device instanceof SaPorts handle) {
      return handle.openSa(port);
    }
    throw IbPermissionException.notAHandle(device, "SaClient.open");
  }

  /** {@return the handle it was opened with} */
  @AnyContext
  IbDevice device();

  /** {@return the port, from 1} */
  @AnyContext
  int port();

  /** {@return whether requests can be sent: the port is active and knows a subnet manager} */
  @AnyContext
  boolean reachable();

  /**
   * Asks for the one record that matches (SubnAdmGet), for example a path: {@code sa.get(new
   * PathRecord().set(DGID, peer).set(SGID, own).set(NUMB_PATH, 1))}.
   *
   * @param query the components that count are set
   * @param timeoutMs time for all attempts, at least 10
   * @param <S> kind of record
   * @return the record
   */
  @AnyContext
  <S extends SaRecord<S, ?>> CompletableFuture<S> get(S query, int timeoutMs);

  /**
   * As {@link #get(SaRecord, int)} with {@link #TIMEOUT_MS}.
   *
   * @param query the components that count are set
   * @param <S> kind of record
   * @return the record
   */
  @AnyContext
  default <S extends SaRecord<S, ?>> CompletableFuture<S> get(S query) {
    return get(query, TIMEOUT_MS);
  }

  /**
   * Asks for all records that match (SubnAdmGetTable, by RMPP).
   *
   * @param query the components that count are set
   * @param timeoutMs time for all attempts, at least 10
   * @param <S> kind of record
   * @return the records; empty when there are none
   */
  @AnyContext
  <S extends SaRecord<S, ?>> CompletableFuture<List<S>> getTable(S query, int timeoutMs);

  /**
   * Makes or changes a record (SubnAdmSet): a membership, a service, a subscription.
   *
   * @param record the components that count are set
   * @param timeoutMs time for all attempts, at least 10
   * @param <S> kind of record
   * @return the record as it is now
   */
  @AnyContext
  <S extends SaRecord<S, ?>> CompletableFuture<S> set(S record, int timeoutMs);

  /**
   * Deletes a record (SubnAdmDelete).
   *
   * @param record the components that count are set
   * @param timeoutMs time for all attempts, at least 10
   * @param <S> kind of record
   * @return the record as it was
   */
  @AnyContext
  <S extends SaRecord<S, ?>> CompletableFuture<S> delete(S record, int timeoutMs);

  /**
   * Returns the capabilities of the subnet administrator. The core requests them once, and again
   * after CLIENT_REREGISTER, SM_CHANGE and the like.
   *
   * @return its ClassPortInfo
   */
  @AnyContext
  CompletableFuture<ClassPortInfo> classPortInfo();

  /**
   * Subscribes to reports (InformInfo), again after every CLIENT_REREGISTER. Clients of one port
   * that subscribe to the same trap share one subscription.
   *
   * @param trapNumber for example {@link Notice#TRAP_MCG_CREATED}
   * @param reports hears them, one at a time; they are acknowledged by the layer
   * @return the subscription; the caller closes it
   */
  @AnyContext
  SaSubscription subscribe(int trapNumber, Consumer<Notice> reports);

  /** {@return the multicast groups of the port} */
  @AnyContext
  SaMulticast multicast();

  /**
   * Ends it: questions fail, subscriptions and memberships are given up, and when this returns no
   * callback of it runs or will run; deferred inside of one of its own (CC-17). Leaving groups does
   * not wait for the subnet administrator.
   */
  @Override
  @MaySleep
  @Fence
  void close();
}
