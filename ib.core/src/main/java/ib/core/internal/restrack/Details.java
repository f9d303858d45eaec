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
 * The attributes of an object as {@code rdma resource show} prints them, in its order and with its
 * names. Calls only those methods of the driver that any context may call.
 */
final class Details {
  private Details() {}

  /**
   * {@return what introspection shows, null unless it lives; the object is not destroyed meanwhile
   * (B9)}
   */
  static @Nullable ResourceRecord record(ObjectRecord record) {
    if (record.kind() == Kind.AH) { // destroyed without waiting (S5): never looked into
      boolean live = record.life.state() == Life.State.LIVE;
      return live ? record(record, Map.of("pdn", record.pdn())) : null;
    }
    if (!record.life.pin()) {
      return null;
    }
    try {
      return record(record, of(Objects.requireNonNull(record.self()), record));
    } catch (Throwable e) { // the driver's
      record.ownership().table.contract.handlerThrew("the driver, asked about " + record + ",", e);
      return record(record, Map.of("error", String.valueOf(e.getMessage())));
    } finally {
      record.life.unpin();
    }
  }

  private static ResourceRecord record(ObjectRecord record, Map<String, Object> details) {
    return new ResourceRecord(
        record.device().name(),
        record.kind(),
        record.id(),
        record.owner(),
        record.life.users(),
        Collections.unmodifiableMap(details));
  }

  private static Map<String, Object> of(IbObject object, ObjectRecord record) {
    Map<String, Object> d = new LinkedHashMap<>();
    switch (object) {
      case ProtectionDomain pd -> d.put("users", record.useCount());
      case CompletionQueue cq -> completionQueue(cq, record, d);
      case QueuePair qp -> queuePair(qp, record, d);
      case SharedReceiveQueue srq -> {
        d.put("type", "BASIC");
        d.put("pdn", record.pdn());
        d.put("users", record.useCount());
      }
      case MemoryRegion mr -> {
        d.put("rkey", mr.rkey());
        d.put("lkey", mr.lkey());
        d.put("iova", mr.iova());
        d.put("mrlen", mr.length());
        d.put("pdn", record.pdn());
      }
      case MemoryWindow mw -> {
        d.put("type", mw.type());
        d.put("rkey", mw.rkey());
        d.put("pdn", record.pdn());
      }
      case AddressHandle ah -> d.put("pdn", record.pdn());
    }
    return d;
  }

  private static void completionQueue(
      CompletionQueue cq, ObjectRecord record, Map<String, Object> d) {
    d.put("cqe", cq.entries());
    d.put("users", record.useCount());
    PollContext context = cq.init().pollContext();
    if (context != null) {
      d.put("poll-ctx", context.label());
    }
    d.put("adaptive-moderation", "off");
  }

  private static void queuePair(QueuePair qp, ObjectRecord record, Map<String, Object> d) {
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
    d.put("pdn", record.pdn());
  }
}
