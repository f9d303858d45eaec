package ib.tools.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 3, section 2: ib:fault")
class FaultCommandTest {
  private final Injection soft0 = new Injection("soft0");
  private final Injection soft1 = new Injection("soft1");
  private final List<FaultInjection> both = List.of(soft1, soft0);

  /** A device's rules. */
  private static final class Injection implements FaultInjection {
    private final String device;
    private final List<Active> rules = new ArrayList<>();
    private long seed;
    private int last;

    Injection(String device) {
      this.device = device;
    }

    @Override
    public String device() {
      return device;
    }

    @Override
    public int add(FaultRule rule) {
      rules.add(new Active(++last, rule, 100, 5));
      return last;
    }

    @Override
    public List<Active> list() {
      return List.copyOf(rules);
    }

    @Override
    public boolean remove(int id) {
      return rules.removeIf(r -> r.id() == id);
    }

    @Override
    public int clear() {
      int n = rules.size();
      rules.clear();
      return n;
    }

    @Override
    public void seed(long value) {
      seed = value;
    }
  }

  private String text(String... args) {
    return ((Printable) FaultCommand.run(both, args)).text();
  }

  private String refusal(String... args) {
    return assertThrows(CommandException.class, () -> FaultCommand.run(both, args)).getMessage();
  }

  @Test
  @DisplayName("add, list, clear by number, by device, all")
  void life() {
    assertEquals("no faults", text("list"));
    assertEquals(
        "DEVICE  NUMBER  RULE            FITTING  HIT\n"
            + "soft0   1       loss rate=0.05  100      5",
        text("add", "soft0", "loss", "rate=0.05"));
    text("add", "soft0", "reorder", "packets=4");
    text("add", "soft1", "corrupt");
    assertEquals(4, text("list").lines().count());
    assertEquals(2, text("list", "soft1").lines().count());
    assertTrue(text("clear", "soft0", "2").contains("reorder packets=4"));
    assertEquals(List.of(1), soft0.list().stream().map(FaultInjection.Active::id).toList());
    text("clear", "soft0");
    assertEquals(List.of(), soft0.list());
    text("clear");
    assertEquals(List.of(), soft1.list());
  }

  @Test
  @DisplayName("list -j is a JSON array, seed starts chance anew, -h is the usage")
  void others() {
    text("add", "soft1", "partition", "peer=3");
    assertEquals(
        "[{\"device\":\"soft1\",\"number\":1,\"rule\":\"partition peer=3\",\"fitting\":100,\"hit\":5}]",
        text("list", "-j"));
    text("seed", "soft1", "77");
    assertEquals(77, soft1.seed);
    assertTrue(FaultCommand.run(both, "--help").toString().startsWith("Usage: ib:fault add DEV"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "lose", "add", "add soft0", "list soft0 soft1", "seed soft0", "list -x"})
  @DisplayName("a wrong command line is refused with the usage")
  void usage(String words) {
    assertTrue(refusal(words.isEmpty() ? new String[0] : words.split(" ")).contains("Usage: ib:"));
  }

  @Test
  @DisplayName("the error names the wrong word")
  void wrong() {
    assertEquals(
        "ib:fault: soft9 offers no faults; there are soft0, soft1",
        refusal("add", "soft9", "loss"));
    assertTrue(
        refusal("add", "soft0", "loss", "rate=2").startsWith("ib:fault: rate is 2.0, it must"));
    assertEquals("ib:fault: soft0 has no rule 3", refusal("clear", "soft0", "3"));
    assertTrue(refusal("seed", "soft0", "x").startsWith("ib:fault: 'x' is not a number"));
  }
}
