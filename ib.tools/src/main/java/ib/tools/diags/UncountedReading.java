package ib.tools.diags;

import ib.tools.getopt.Parsed;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An attribute of a port in which nothing is counted, printed as libibmad dumps it: links have
 * neither lanes nor error correction, and no counter can be sampled.
 *
 * @param kind which attribute
 * @param device device name
 * @param lid its LID
 * @param port from 1
 */
record UncountedReading(Kind kind, String device, int lid, int port)
    implements Printable, JsonView {
  private static final String MASK = "0x0000000000000000";
  private static final int LANES = 12;
  private static final int SAMPLED = 15;

  /** Which attribute. */
  enum Kind {
    /** PortExtendedSpeedsCounters (IBA 16.1.4). */
    SPEEDS(
        "extended_speeds",
        "PortExtendedSpeedsCounters counters",
        "cannot query PortExtendedSpeedsCounters"),
    /** PortSamplesControl (IBA 16.1.3.2). */
    SAMPLES("smplctl", "PortSamplesControl", "sampctlquery");

    private final String option;
    private final String title;
    private final String failure;

    Kind(String option, String title, String failure) {
      this.option = option;
      this.title = title;
      this.failure = failure;
    }

    /** {@return which one a command line asks for} */
    static Optional<Kind> asked(Parsed line) {
      return List.of(values()).stream().filter(k -> line.has(k.option)).findFirst();
    }

    /** {@return what the original says when a port has it not} */
    String failure() {
      return failure;
    }
  }

  private Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    if (kind == Kind.SPEEDS) {
      fields.put("PortSelect", String.valueOf(port));
      fields.put("CounterSelect", MASK);
      fields.put("SyncHeaderErrorCounter", "0");
      fields.put("UnknownBlockCounter", "0");
      each(fields, "ErrorDetectionCounterLane", LANES, "0");
      each(fields, "FECCorrectableBlockCtrLane", LANES, "0");
      each(fields, "FECUncorrectableBlockCtrLane", LANES, "0");
    } else {
      fields.put("OpCode", "0x00");
      fields.put("PortSelect", String.valueOf(port));
      fields.put("Tick", "0x00");
      fields.put("CounterWidth", "0");
      fields.put("CounterMask0", "0x00");
      fields.put("CounterMasks1to9", "0x00000000");
      fields.put("CounterMasks10to14", "0x0000");
      fields.put("SampleMechanisms", "0");
      fields.put("SampleStatus", "0");
      fields.put("OptionMask", MASK);
      fields.put("VendorMask", MASK);
      fields.put("SampleStart", "0");
      fields.put("SampleInterval", "0");
      fields.put("Tag", "0x0000");
      each(fields, "CounterSelect", SAMPLED, "0x0000");
      fields.put("SamplesOnlyOptionMask", MASK);
    }
    return fields;
  }

  private static void each(Map<String, String> fields, String name, int count, String value) {
    for (int i = 0; i < count; i++) {
      fields.put(name + i, value);
    }
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder("# ").append(kind.title);
    out.append(String.format(": Lid %d port %d", lid, port));
    fields().forEach((name, value) -> PortReading.line(out, name, value));
    return out.toString();
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("ifname", device);
    members.put("lid", lid);
    members.put("port", port);
    fields().forEach(members::putIfAbsent);
    return members;
  }
}
