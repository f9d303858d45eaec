package ib.core.spi;

import ib.core.verbs.MaySleep;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells what has happened to a queue pair: a service that a driver registers for each device while
 * it is plugged in, with the service property {@link DeviceSlot#DEVICE_NAME}. {@code ib:why}
 * reaches drivers through it.
 */
public interface QpDiagnosis {

  /**
   * Something that has happened.
   *
   * @param ns when, by the clock of {@link Report#nowNs}
   * @param text what
   */
  record Note(long ns, String text) {}

  /**
   * A state that was entered.
   *
   * @param ns when, by the clock of {@link Report#nowNs}
   * @param state the state
   * @param cause why
   */
  record Change(long ns, QpState state, String cause) {}

  /**
   * The diagnosis of a queue pair.
   *
   * @param device device name
   * @param qpn its number, 24 bits
   * @param type its service
   * @param state its state now
   * @param nowNs when the report was made; nanoseconds from an arbitrary moment, for differences
   * @param history the latest states, oldest first, at most 16
   * @param troubles the last NAK in each direction, the last RNR NAK, the last timeout, where there
   *     was one
   * @param peer the peer that it is connected to, empty without one
   * @param heardNs when the latest packet for it was noticed, to a quarter of a second; -1 when
   *     there was none, {@link #NOT_TOLD} where the device does not tell
   * @param counters what it has counted since it was bound to its port, by the name of the port's
   *     counter, without those that are 0: {@code sent_pkts} and {@code rcvd_pkts} include the
   *     requests that took no packet; names that begin with drop_ are reasons why packets for it
   *     were dropped; those whose name begins with fabric_ were sent by its device and not
   *     delivered
   * @param likely the likely cause, one sentence
   * @param tries what to try, in this order
   */
  record Report(
      String device,
      int qpn,
      QpType type,
      QpState state,
      long nowNs,
      List<Change> history,
      List<Note> troubles,
      String peer,
      long heardNs,
      Map<String, Long> counters,
      String likely,
      List<String> tries) {
    /** As {@link #heardNs}: the device does not tell when it hears. */
    public static final long NOT_TOLD = Long.MIN_VALUE;

    /** {@return the counters of packets that were dropped, for it or of its device} */
    public Map<String, Long> drops() {
      Map<String, Long> drops = new LinkedHashMap<>();
      counters.forEach(
          (name, n) -> {
            if (name.startsWith("drop_") || name.startsWith("fabric_")) {
              drops.put(name, n);
            }
          });
      return drops;
    }
  }

  /** {@return the name of the device} */
  String device();

  /**
   * Looks at a queue pair.
   *
   * @param qpn its number, 24 bits
   * @return what is known, or empty when the device has no such queue pair
   */
  @MaySleep
  Optional<Report> diagnose(int qpn);
}
