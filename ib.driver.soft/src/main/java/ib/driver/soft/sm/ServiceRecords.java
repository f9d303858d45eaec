package ib.driver.soft.sm;

import ib.core.sa.SaStatus;
import ib.core.sa.ServiceRecord;
import ib.core.sa.ServiceRecord.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The service records and their leases (IBA 15.2.5.14). */
final class ServiceRecords {
  /** The greatest number of records; the limit is needed because strangers choose the keys. */
  private static final int MAX_SERVICES = 4096;

  private static final long FOR_EVER = 0xffff_ffffL;
  private static final long KEY =
      Field.SERVICE_ID.mask() | Field.SERVICE_GID.mask() | Field.SERVICE_PKEY.mask();

  private record Entry(ServiceRecord record, long endNs) {}

  private final List<Entry> entries = new ArrayList<>();

  ServiceRecords() {}

  void clear() {
    entries.clear();
  }

  ServiceRecord set(ServiceRecord asked) {
    long lease = asked.number(Field.SERVICE_LEASE);
    if (lease == 0 || !asked.has(Field.SERVICE_ID)) {
      throw new Refusal(SaStatus.REQUEST_INVALID);
    }
    entries.removeIf(e -> same(e, asked));
    if (entries.size() >= MAX_SERVICES) {
      throw new Refusal(SaStatus.NO_RESOURCES);
    }
    long end =
        lease == FOR_EVER ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.SECONDS.toNanos(lease);
    entries.add(new Entry(asked, end));
    return asked;
  }

  ServiceRecord delete(ServiceRecord asked) {
    if (!entries.removeIf(e -> same(e, asked))) {
      throw new Refusal(SaStatus.NO_RECORDS);
    }
    return asked;
  }

  private static boolean same(Entry e, ServiceRecord asked) {
    long mask = asked.componentMask();
    asked.componentMask(mask & KEY);
    boolean same = e.record.matches(asked);
    asked.componentMask(mask);
    return same;
  }

  List<ServiceRecord> find(ServiceRecord query) {
    return entries.stream().map(Entry::record).filter(r -> r.matches(query)).toList();
  }

  long dueNs() {
    return entries.stream().mapToLong(Entry::endNs).min().orElse(Long.MAX_VALUE);
  }

  void tick() {
    long now = System.nanoTime();
    entries.removeIf(e -> e.endNs != Long.MAX_VALUE && e.endNs - now <= 0);
  }
}
