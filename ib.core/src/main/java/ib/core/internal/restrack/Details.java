package ib.core.internal.restrack;

import ib.core.client.ResourceRecord;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.PollContext;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@code rdma resource show} prints of an object, in its order and with its names. Asks the
 * driver only what any context may ask.
 */
final class Details {
  private Details() {}

  /**
   * {@return what introspection shows, null unless it lives; the object is not destroyed meanwhile
   * (B9)}
   */
  static @Nullable ResourceRecord record(Book book) {
    if (book.kind() == Kind.AH) { // destroyed without waiting (S5): never looked into
      boolean live = book.life().state() == Life.State.LIVE;
      return live ? record(book, Map.of("pdn", book.pdn())) : null;
    }
    if (!book.life().pin()) {
      return null;
    }
    try {
      return record(book, of(Objects.requireNonNull(book.self()), book));
    } catch (RuntimeException e) {
      book.ownership().table().contract().handlerThrew("the driver, asked about " + book + ",", e);
      return record(book, Map.of("error", String.valueOf(e.getMessage())));
    } finally {
      book.life().unpin();
    }
  }

  private static ResourceRecord record(Book book, Map<String, Object> details) {
    return new ResourceRecord(
        book.device().name(),
        book.kind(),
        book.id(),
        book.owner(),
        book.life().users(),
        Collections.unmodifiableMap(details));
  }

  private static Map<String, Object> of(IbObject object, Book book) {
    Map<String, Object> d = new LinkedHashMap<>();
    switch (object) {
      case ProtectionDomain pd -> d.put("users", book.useCount());
      case CompletionQueue cq -> completionQueue(cq, book, d);
      case QueuePair qp -> queuePair(qp, book, d);
      case SharedReceiveQueue srq -> {
        d.put("type", "BASIC");
        d.put("pdn", book.pdn());
        d.put("users", book.useCount());
      }
      case MemoryRegion mr -> {
        d.put("rkey", mr.rkey());
        d.put("lkey", mr.lkey());
        d.put("iova", mr.iova());
        d.put("mrlen", mr.length());
        d.put("pdn", book.pdn());
      }
      case MemoryWindow mw -> {
        d.put("type", mw.type());
        d.put("rkey", mw.rkey());
        d.put("pdn", book.pdn());
      }
      case AddressHandle ah -> d.put("pdn", book.pdn());
    }
    return d;
  }

  private static void completionQueue(CompletionQueue cq, Book book, Map<String, Object> d) {
    d.put("cqe", cq.entries());
    d.put("users", book.useCount());
    PollContext context = cq.init().pollContext();
    if (context != null) {
      d.put("poll-ctx", context.label());
    }
    d.put("adaptive-moderation", "off");
  }

  private static void queuePair(QueuePair qp, Book book, Map<String, Object> d) {
    if (qp.port() != 0) {
      d.put("port", qp.port());
    }
    d.put("lqpn", qp.qpn());
    boolean connected = qp.type() == QpType.RC || qp.type() == QpType.UC;
    if (connected && qp.remoteQpn() != 0) {
      d.put("rqpn", qp.remoteQpn());
    }
    d.put("type", qp.type());
    d.put("state", qp.state());
    d.put("sq-psn", qp.startPsn());
    d.put("pdn", book.pdn());
  }
}
