package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.cm.QpSteps;
import ib.core.verbs.Access;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue pair of a connection, moved through its states. The connection's lock guards the
 * changes.
 */
final class Pair {
  private static final Logger LOG = LoggerFactory.getLogger(Pair.class);

  private final String what;
  private final RdmaOptions options;
  private final QpFactory factory;
  private @Nullable CmPath path;
  private @Nullable CmEndpoint mine;
  private volatile @Nullable QueuePair qp;
  private volatile byte[] data = {};

  Pair(String what, RdmaOptions options, QpFactory factory) {
    this.what = what;
    this.options = options;
    this.factory = factory;
  }

  @Nullable QueuePair qp() {
    return qp;
  }

  QueuePair given() {
    QueuePair made = qp;
    if (made == null) {
      throw new IbInvalidException(what, "no queue pair yet", "wait for established()");
    }
    return made;
  }

  /** {@return an exception of ours, or one about an exception of the queue pair factory} */
  IbException known(Throwable e) {
    if (e instanceof IbException ours) {
      return ours;
    }
    return IbInvalidException.of(what, e.toString(), "mend the queue pair factory", e);
  }

  /**
   * {@return a queue pair with receives posted, in state INIT, for datagrams in RTS; not under the
   * lock}
   */
  QueuePair make(Site at, CmPath by) {
    QueuePair made = factory.make(at.device(), at.port());
    try {
      QpType type = options.type();
      if (made.type() != type) {
        throw new IbInvalidException(what, "a queue pair of type " + made.type(), "QpType." + type);
      }
      if (type == QpType.UD) {
        start(made, by);
      } else {
        int reads = Access.REMOTE_READ | Access.REMOTE_ATOMIC;
        int access = served() > 0 ? reads : 0;
        made.modify(QpSteps.init(by, Access.REMOTE_WRITE | access));
        factory.initialized(made);
      }
      data = factory.data(options).clone();
      return made;
    } catch (Throwable e) { // of code that is not ours
      destroy(made);
      throw e;
    }
  }

  /** {@return reads and atomics that the queue pair serves at once} */
  private int served() {
    return switch (options.type()) {
      case RC, XRC_TGT -> options.responderResources();
      default -> 0;
    };
  }

  /** Moves a queue pair for datagrams to RTS; it needs no peer for that. */
  private void start(QueuePair made, CmPath by) {
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(by.pkeyIndex()).port(by.way().port());
    made.modify(init.qkey(PortSpace.DATAGRAM_QKEY));
    factory.initialized(made);
    made.modify(new QpAttr().state(QpState.RTR));
    made.modify(new QpAttr().state(QpState.RTS).sqPsn(QueuePair.randomPsn()));
  }

  /** {@return private data for the peer, known when the queue pair was made} */
  byte[] data() {
    return data;
  }

  /** Takes a queue pair that was made; {@return what the peer is to know of it} */
  CmEndpoint take(QueuePair made, CmPath by, int depth) {
    QpType type = options.type();
    boolean reads = type == QpType.RC || type == QpType.XRC_INI;
    CmEndpoint known =
        new CmEndpoint(
            type == QpType.UD ? QpType.RC : type, // for datagrams the number alone is of use
            made.qpn(),
            QueuePair.randomPsn(),
            served(),
            reads ? depth : 0,
            type == QpType.UC ? 0 : options.rnrRetry(),
            made.init().srq() != null);
    qp = made;
    path = by;
    mine = known;
    return known;
  }

  /**
   * Moves the queue pair to RTR and RTS.
   *
   * @param by knows the queue pair as it was announced to the peer
   */
  void move(CmConnection by, CmEndpoint peer, CmTerms terms) {
    if (mine == null || path == null) {
      throw new IllegalStateException(what + " has no queue pair");
    }
    CmEndpoint known = by.announced(mine);
    given().modify(QpSteps.rtr(path, known, peer));
    given().modify(QpSteps.rts(known, peer, terms));
  }

  /** Moves the queue pair to the error state. */
  void error() {
    try {
      QueuePair made = qp;
      if (made != null) {
        made.modify(new QpAttr().state(QpState.ERR));
      }
    } catch (IbException e) { // the device goes, and its queue pairs with it
      LOG.debug("{}: the queue pair cannot be moved", what, e);
    } catch (Throwable e) { // of the driver
      LOG.warn("{}: the driver cannot move the queue pair", what, e);
    }
  }

  /** Destroys a queue pair when all its requests have completed; not under the lock. */
  void destroy(@Nullable QueuePair old) {
    if (old == null) {
      return;
    }
    try (old) {
      old.drain();
    } catch (IbDisassociatedException e) { // the core has destroyed it already
      LOG.debug("{}: the queue pair is gone", what, e);
    } finally {
      factory.destroyed(old);
    }
  }
}
