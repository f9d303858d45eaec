package ib.core.verbs;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Attributes and limits of a device (IBA verb Query HCA, {@code ibv_query_device}). Immutable.
 *
 * @param fwVer firmware version, free text
 * @param nodeGuid GUID of the node
 * @param sysImageGuid GUID of the system
 * @param vendorId IEEE vendor number, 24 bits
 * @param vendorPartId the vendor's part number
 * @param hwVer the vendor's hardware version
 * @param physPortCount number of ports, 1 to 255
 * @param caps capabilities; copied
 * @param atomicCap with whom atomics are atomic
 * @param limits numeric limits, those left out being 0; copied
 */
public record DeviceAttr(
    String fwVer,
    long nodeGuid,
    long sysImageGuid,
    int vendorId,
    int vendorPartId,
    int hwVer,
    int physPortCount,
    Set<Cap> caps,
    AtomicCap atomicCap,
    Map<Limit, Long> limits) {

  /** Copies the collections, in the order of their enums. */
  public DeviceAttr {
    EnumSet<Cap> capsCopy = EnumSet.noneOf(Cap.class);
    capsCopy.addAll(caps);
    caps = Collections.unmodifiableSet(capsCopy);
    EnumMap<Limit, Long> limitsCopy = new EnumMap<>(Limit.class);
    limitsCopy.putAll(limits);
    limits = Collections.unmodifiableMap(limitsCopy);
  }

  /**
   * One limit.
   *
   * @param limit which
   * @return its value, unsigned for MAX_MR_SIZE and PAGE_SIZE_CAP; 0 if the driver does not tell
   */
  public long limit(Limit limit) {
    Long value = limits.get(limit);
    return value == null ? 0 : value;
  }

  /**
   * Whether the device can do something.
   *
   * @param cap what
   * @return whether it is among {@link #caps}
   */
  public boolean has(Cap cap) {
    return caps.contains(cap);
  }
}
