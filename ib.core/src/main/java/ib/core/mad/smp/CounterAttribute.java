package ib.core.mad.smp;

import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of performance management that hold counters of a port (IBA 16.1.3), each from the
 * first byte of the data. Any context.
 */
public enum CounterAttribute {
  /** PortCounters. */
  PORT_COUNTERS(0x12, Form.CLASSIC, PortCounters.values()),
  /** PortRcvErrorDetails. */
  RCV_ERROR_DETAILS(0x15, Form.RCV_ERROR_DETAILS, PortRcvErrorDetails.values()),
  /** PortXmitDiscardDetails. */
  XMIT_DISCARD_DETAILS(0x16, Form.XMIT_DISCARD_DETAILS, PortXmitDiscardDetails.values()),
  /** PortCountersExtended. */
  PORT_COUNTERS_EXTENDED(0x1d, Form.EXTENDED, PortCountersExtended.values()),
  /** PortXmitDataSL. */
  XMIT_DATA_SL(0x36, Form.XMIT_DATA_SL, PortXmitDataSl.values()),
  /** PortRcvDataSL. */
  RCV_DATA_SL(0x37, Form.RCV_DATA_SL, PortRcvDataSl.values());

  private final int id;
  private final Form form;
  private final MadField[] fields;

  CounterAttribute(int id, Form form, MadField[] fields) {
    this.id = id;
    this.form = form;
    this.fields = fields;
  }

  /**
   * Finds an attribute.
   *
   * @param id AttributeID
   * @return the attribute; null when it holds no counters that are known here
   */
  public static @Nullable CounterAttribute of(int id) {
    return Arrays.stream(values()).filter(a -> a.id == id).findFirst().orElse(null);
  }

  /**
   * Finds the attribute of a form.
   *
   * @param form the form of the counters
   * @return the attribute
   */
  public static CounterAttribute of(Form form) {
    return Arrays.stream(values()).filter(a -> a.form == form).findFirst().orElseThrow();
  }

  /** {@return AttributeID} */
  public int id() {
    return id;
  }

  /** {@return the form of the counters} */
  public Form form() {
    return form;
  }

  /**
   * Reads the counters.
   *
   * @param data the attribute, 192 bytes
   * @return the counters, in the order of the attribute
   */
  public Map<PortCounter, Long> read(MemorySegment data) {
    Map<PortCounter, Long> counters = new EnumMap<>(PortCounter.class);
    for (PortCounter c : PortCounter.values()) {
      for (MadField field : fields) {
        if (c.in(form) && field.label().equals(c.label())) {
          counters.put(c, field.of(data));
        }
      }
    }
    return counters;
  }

  /**
   * Writes counters; each sticks at the largest value of its field.
   *
   * @param data the attribute, 192 bytes
   * @param counters the values
   */
  public void write(MemorySegment data, Map<PortCounter, Long> counters) {
    for (MadField field : fields) {
      counters.forEach(
          (c, value) -> {
            if (field.label().equals(c.label())) {
              field.set(data, c.value(form, value));
            }
          });
    }
  }
}
