package ib.cm;

import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One user's share of the connection manager of a port. The users of a port share one agent of the
 * management class, because the class has one owner per port (CM-6): from the add of the device to
 * its removal. All that time the port's capability mask says that there is a connection manager,
 * and a request for a service that has no listener is rejected with reason 8.
 */
public interface CmPort extends AutoCloseable {
  /**
   * {@return the types of queue pairs that the port connects: RC and UC where its device has them,
   * XRC_INI and XRC_TGT where it has XRC; by the connection manager of a host RC}
   */
  Set<QpType> types();

  /**
   * Connects: sends a REQ, and repeats it. The type of the queue pair is the transport that the REQ
   * asks for; a peer that does not serve it rejects with reason 9, Linux with reason 28.
   *
   * @param serviceId service ID
   * @param path the path to the peer
   * @param mine this side's queue pair, in state INIT with receives posted
   * @param terms times and retries
   * @param privateData at most 92 bytes
   * @param handler hears the events
   * @return the connection
   * @throws ib.core.verbs.IbInvalidException for private data that is too long
   * @throws ib.core.verbs.IbNotSupportedException for a queue pair of none of {@link #types}
   * @throws ib.core.verbs.IbDisassociatedException when the share was closed
   */
  CmConnection connect(
      long serviceId,
      CmPath path,
      CmEndpoint mine,
      CmTerms terms,
      byte[] privateData,
      CmHandler handler);

  /**
   * Listens to a service ID, with queue pairs of type RC.
   *
   * @param serviceId service ID
   * @param backlog how many requests may wait for an answer of the handler, from 0; further ones
   *     are dropped, and their senders repeat them
   * @param handler hears the events of all connections of this listener, each connection's in order
   * @return the listener; closing the share closes it
   * @throws ib.core.verbs.IbExistsException when the port has a listener for that service ID
   * @throws ib.core.verbs.IbDisassociatedException when the share was closed
   */
  default CmListener listen(long serviceId, int backlog, CmHandler handler) {
    return listen(serviceId, Set.of(QpType.RC), address -> true, backlog, handler);
  }

  /**
   * Listens to a service ID for requests to some addresses. Only a connection manager of the host
   * knows addresses: it listens at those that are wanted, and other programs of the host may have
   * the others. Another one hears the requests to all addresses, so the handler compares.
   *
   * @param serviceId service ID; where the host has the connection manager, of a port space of RDMA
   *     CM
   * @param types of the queue pairs with which the handler accepts, of {@link #types}: the type of
   *     the peer's, and XRC_TGT for the peer's XRC_INI. A request for another transport is rejected
   *     with reason 9
   * @param wanted whether an address of the port is wanted; asked now, and again by {@link
   *     CmListener#backlog}
   * @param backlog how many requests may wait, as in {@link #listen(long, int, CmHandler)}
   * @param handler hears the events of all connections of this listener, each connection's in order
   * @return the listener; closing the share closes it
   * @throws ib.core.verbs.IbExistsException when the port has a listener for that service ID, or
   *     another program of the host listens at an address that is wanted
   * @throws ib.core.verbs.IbNotSupportedException for a type that is none of {@link #types}
   * @throws ib.core.verbs.IbDisassociatedException when the share was closed
   */
  CmListener listen(
      long serviceId,
      Set<QpType> types,
      Predicate<InetAddress> wanted,
      int backlog,
      CmHandler handler);

  /**
   * Asks for the queue pair of a datagram service (SIDR), and repeats the question. To cancel the
   * future gives the question up. The future completes on a virtual thread of its own; exceptions
   * are {@link CmUnresolvedException} when the peer refuses, {@link
   * ib.core.verbs.IbTimedOutException} when it does not answer, and {@link
   * ib.core.verbs.IbDisassociatedException} when the share is closed or the device goes.
   *
   * @param serviceId service ID
   * @param path the path to the peer
   * @param terms response time, retries and deadline count; the others are for connections
   * @param privateData at most 216 bytes
   * @return the answer
   * @throws ib.core.verbs.IbInvalidException for private data that is too long
   * @throws ib.core.verbs.IbDisassociatedException when the share was closed
   */
  CompletableFuture<CmDatagram> resolve(
      long serviceId, CmPath path, CmTerms terms, byte[] privateData);

  /**
   * Has a datagram service: answers questions for its queue pair. A source gets 1,000 answers a
   * second.
   *
   * @param serviceId service ID
   * @param backlog how many questions may wait for an answer of the handler, from 0; further ones
   *     are dropped, and their senders repeat them
   * @param handler answers, one question at a time, on a virtual thread; it may sleep
   * @return the listener: its close refuses the questions that wait with status 2, later ones get
   *     status 1; closing the share closes it
   * @throws ib.core.verbs.IbExistsException when the port has that datagram service
   * @throws ib.core.verbs.IbDisassociatedException when the share was closed
   */
  CmListener serve(long serviceId, int backlog, Consumer<CmDatagramRequest> handler);

  /**
   * Has a datagram service for questions to some addresses, as {@link #listen(long, Set, Predicate,
   * int, CmHandler)} listens for requests.
   *
   * @param serviceId service ID of {@code PortSpace.UDP}
   * @param wanted whether an address of the port is wanted
   * @param backlog how many questions may wait
   * @param handler answers, one question at a time, on a virtual thread; it may sleep
   * @return the listener
   * @throws ib.core.verbs.IbExistsException when the port has that datagram service, or another
   *     program of the host has an address that is wanted
   * @throws ib.core.verbs.IbDisassociatedException when the share was closed
   */
  default CmListener serve(
      long serviceId,
      Predicate<InetAddress> wanted,
      int backlog,
      Consumer<CmDatagramRequest> handler) {
    return serve(serviceId, backlog, handler);
  }

  /**
   * {@return how many messages were sent, received and dropped, by name: {@code sent.REQ}, and of
   * these {@code repeated.REQ}, {@code received.REP}, and of these {@code duplicate.REP}, {@code
   * dropped.BACKLOG}. They are Linux's {@code cm_tx_msgs/req}, {@code cm_tx_retries/req}, {@code
   * cm_rx_msgs/rep} and {@code cm_rx_duplicates/rep}. {@code dropped.HALF_OPEN} are requests of a
   * peer that has 16,384 connections under way which it has not confirmed, or 1,024 whose reply had
   * to be sent again, or of any peer when all have 131,072; {@code dropped.RATE} are those beyond
   * 200,000 a second of a peer, and the messages that would have had an answer without a connection
   * beyond 1,000 a second}
   */
  Map<String, Long> counters();

  /**
   * Closes the share, its listeners and its connections, each of which hears its end. When this
   * returns, no callback of this share runs or will run; but this does not wait for a callback that
   * it is called in, nor for one that waits, in the end, for the caller.
   */
  @Override
  @MaySleep
  @Fence
  void close();
}
