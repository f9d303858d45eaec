package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Our table beside Linux's. The text below is typed in from the table by which Linux checks a
 * modify (qp_state_table in verbs.c), in another form than ours; it is the oracle.
 */
@DisplayName("IBA vol. 1 section 10.3.1: the state machine of queue pairs")
class QpTransitionsTest {

  /** Transition, required, optional ("-" is none); types in the heading of each block. */
  private static final String SPECIFICATION =
      """
      # RC
      RESET>INIT | PKEY_INDEX PORT ACCESS_FLAGS | -
      INIT>INIT | - | PKEY_INDEX PORT ACCESS_FLAGS
      INIT>RTR | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER | ALT_PATH ACCESS_FLAGS PKEY_INDEX
      RTR>RTS | TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC | CUR_STATE ALT_PATH ACCESS_FLAGS \
      MIN_RNR_TIMER PATH_MIG_STATE
      RTS>RTS | - | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
      RTS>SQD | - | EN_SQD_ASYNC_NOTIFY
      SQD>SQD | - | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC MAX_DEST_RD_ATOMIC ALT_PATH \
      ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
      SQD>RTS | - | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
      # UC
      RESET>INIT | PKEY_INDEX PORT ACCESS_FLAGS | -
      INIT>INIT | - | PKEY_INDEX PORT ACCESS_FLAGS
      INIT>RTR | AV PATH_MTU DEST_QPN RQ_PSN | ALT_PATH ACCESS_FLAGS PKEY_INDEX
      RTR>RTS | SQ_PSN | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
      RTS>RTS | - | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
      RTS>SQD | - | EN_SQD_ASYNC_NOTIFY
      SQD>SQD | - | AV ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
      SQD>RTS | - | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
      SQE>RTS | - | CUR_STATE ACCESS_FLAGS
      # UD
      RESET>INIT | PKEY_INDEX PORT QKEY | -
      INIT>INIT | - | PKEY_INDEX PORT QKEY
      INIT>RTR | - | PKEY_INDEX QKEY
      RTR>RTS | SQ_PSN | CUR_STATE QKEY
      RTS>RTS | - | CUR_STATE QKEY
      RTS>SQD | - | EN_SQD_ASYNC_NOTIFY
      SQD>SQD | - | PKEY_INDEX QKEY
      SQD>RTS | - | CUR_STATE QKEY
      SQE>RTS | - | CUR_STATE QKEY
      # SMI GSI
      RESET>INIT | PKEY_INDEX QKEY | -
      INIT>INIT | - | PKEY_INDEX QKEY
      INIT>RTR | - | PKEY_INDEX QKEY
      RTR>RTS | SQ_PSN | CUR_STATE QKEY
      RTS>RTS | - | CUR_STATE QKEY
      RTS>SQD | - | EN_SQD_ASYNC_NOTIFY
      SQD>SQD | - | PKEY_INDEX QKEY
      SQD>RTS | - | CUR_STATE QKEY
      SQE>RTS | - | CUR_STATE QKEY
      # XRC_INI
      RESET>INIT | PKEY_INDEX PORT ACCESS_FLAGS | -
      INIT>INIT | - | PKEY_INDEX PORT ACCESS_FLAGS
      INIT>RTR | AV PATH_MTU DEST_QPN RQ_PSN | ALT_PATH ACCESS_FLAGS PKEY_INDEX
      RTR>RTS | TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
      RTS>RTS | - | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
      RTS>SQD | - | EN_SQD_ASYNC_NOTIFY
      SQD>SQD | - | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
      SQD>RTS | - | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
      # XRC_TGT
      RESET>INIT | PKEY_INDEX PORT ACCESS_FLAGS | -
      INIT>INIT | - | PKEY_INDEX PORT ACCESS_FLAGS
      INIT>RTR | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER | ALT_PATH ACCESS_FLAGS PKEY_INDEX
      RTR>RTS | TIMEOUT SQ_PSN | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
      RTS>RTS | - | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
      RTS>SQD | - | EN_SQD_ASYNC_NOTIFY
      SQD>SQD | - | PORT AV TIMEOUT MAX_DEST_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
      SQD>RTS | - | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
      """;

  /** Line "RC RTR>RTS" to "required | optional", names sorted. */
  private static Map<String, String> specified(String text) {
    Map<String, String> lines = new TreeMap<>();
    String[] types = {};
    for (String line : text.lines().toList()) {
      if (line.startsWith("# ")) {
        types = line.substring(2).split(" ", -1);
        continue;
      }
      String[] cells = line.split(" \\| ", -1);
      for (String type : types) {
        lines.put(type + " " + cells[0], names(cells[1]) + " | " + names(cells[2]));
      }
    }
    for (QpType type : QpType.values()) { // any to RESET, any but RESET to ERR: STATE alone
      for (QpState from : QpState.values()) {
        lines.put(type + " " + from + ">RESET", "- | -");
        if (from != QpState.RESET) {
          lines.put(type + " " + from + ">ERR", "- | -");
        }
      }
    }
    return lines;
  }

  private static String names(String cell) {
    String[] names = cell.split(" ", -1);
    Arrays.sort(names);
    return String.join(" ", names);
  }

  private static Map<String, String> ours() {
    Map<String, String> lines = new TreeMap<>();
    forEachPair(
        p -> {
          if (QpTransitions.isLegal(p.type, p.from, p.to)) {
            lines.put(
                p.type + " " + p.from + ">" + p.to,
                names(QpTransitions.required(p.type, p.from, p.to))
                    + " | "
                    + names(QpTransitions.optional(p.type, p.from, p.to)));
          }
        });
    return lines;
  }

  private static String names(Set<QpAttrMask> set) {
    return set.isEmpty() ? "-" : names(String.join(" ", set.stream().map(Enum::name).toList()));
  }

  private record Pair(QpType type, QpState from, QpState to) {}

  private static void forEachPair(Consumer<Pair> action) {
    for (QpType type : QpType.values()) {
      for (QpState from : QpState.values()) {
        for (QpState to : QpState.values()) {
          action.accept(new Pair(type, from, to));
        }
      }
    }
  }

  private static Map<String, String> differences(Map<String, String> a, Map<String, String> b) {
    Map<String, String> differences = new LinkedHashMap<>();
    Set<String> keys = new TreeSet<>(a.keySet());
    keys.addAll(b.keySet());
    for (String key : keys) {
      String left = a.getOrDefault(key, "illegal");
      String right = b.getOrDefault(key, "illegal");
      if (!left.equals(right)) {
        differences.put(key, left + "   <>   " + right);
      }
    }
    return differences;
  }

  @Test
  @DisplayName("IBA 10.3.1: all 343 transitions equal the table of Linux")
  void equalsTheSpecification(TestReporter reporter) {
    Map<String, String> specified = specified(SPECIFICATION);
    Map<String, String> ours = ours();
    StringBuilder table = new StringBuilder("\n");
    specified.forEach(
        (k, v) ->
            table.append(String.format("%-18s spec %s%n%-18s ours %s%n", k, v, "", ours.get(k))));
    reporter.publishEntry("QP transitions", table.toString());
    assertEquals(Map.of(), differences(specified, ours));
  }

  @Test
  @DisplayName("IBA 10.3.1: the comparison finds a planted bug (canary)")
  void comparisonFindsPlantedBugs() {
    Map<String, String> lacking =
        specified(
            SPECIFICATION.replace(
                "# UC\nRESET>INIT | PKEY_INDEX PORT ", "# UC\nRESET>INIT | PORT "));
    assertEquals(Set.of("UC RESET>INIT"), differences(lacking, ours()).keySet());
    Map<String, String> extra = specified(SPECIFICATION + "RTR>RTR | - | -\n");
    assertEquals(Set.of("XRC_TGT RTR>RTR"), differences(extra, ours()).keySet());
  }

  private static QpAttr attributes(Set<QpAttrMask> set) {
    QpAttr attr = new QpAttr();
    set.forEach(bit -> QpAttrTest.set(attr, bit));
    return attr;
  }

  private static QpAttr attributes(Pair p, Set<QpAttrMask> set) {
    QpAttr attr = attributes(set);
    return set.contains(QpAttrMask.CUR_STATE) ? attr.curState(p.from) : attr;
  }

  @Test
  @DisplayName("Modify QP: check takes what is required with and without what is optional")
  void takesWhatIsAllowed() {
    int[] count = {0};
    forEachPair(
        p -> {
          if (QpTransitions.isLegal(p.type, p.from, p.to)) {
            Set<QpAttrMask> set = EnumSet.noneOf(QpAttrMask.class);
            set.addAll(QpTransitions.required(p.type, p.from, p.to));
            QpTransitions.check(p.type, p.from, p.to, attributes(p, set));
            set.addAll(QpTransitions.optional(p.type, p.from, p.to));
            QpTransitions.check(p.type, p.from, p.to, attributes(p, set).state(p.to));
            count[0]++;
          }
        });
    assertEquals(specified(SPECIFICATION).size(), count[0]);
  }

  @Test
  @DisplayName("Modify QP: check names each missing and each forbidden attribute")
  void namesWhatIsWrong() {
    forEachPair(
        p -> {
          if (!QpTransitions.isLegal(p.type, p.from, p.to)) {
            return;
          }
          Set<QpAttrMask> required = QpTransitions.required(p.type, p.from, p.to);
          Set<QpAttrMask> optional = QpTransitions.optional(p.type, p.from, p.to);
          assertTrue(Collections.disjoint(required, optional), p.toString());
          for (QpAttrMask bit : QpAttrMask.values()) {
            Set<QpAttrMask> set = EnumSet.noneOf(QpAttrMask.class);
            set.addAll(required);
            if (required.contains(bit)) {
              set.remove(bit);
              assertEquals("missing [" + bit + "]", refusal(p, attributes(set)).why());
            } else if (!optional.contains(bit) && bit != QpAttrMask.STATE) {
              set.add(bit);
              assertEquals("not allowed [" + bit + "]", refusal(p, attributes(set)).why());
            }
          }
        });
  }

  private static IbInvalidException refusal(Pair p, QpAttr attr) {
    return assertThrows(
        IbInvalidException.class, () -> QpTransitions.check(p.type, p.from, p.to, attr));
  }

  @Test
  @DisplayName(
      "IBA 10.3.1: an illegal transition is refused with the legal ones, whatever is given")
  void refusesIllegal() {
    forEachPair(
        p -> {
          if (!QpTransitions.isLegal(p.type, p.from, p.to)) {
            assertEquals("not a legal transition", refusal(p, new QpAttr()).why());
            assertEquals(Set.of(), QpTransitions.required(p.type, p.from, p.to));
            assertEquals(Set.of(), QpTransitions.optional(p.type, p.from, p.to));
          }
        });
    assertFalse(QpTransitions.isLegal(QpType.RC, QpState.SQE, QpState.RTS));
    assertEquals(
        "modify RC QP RESET -> RTS: not a legal transition (EINVAL). Try: one of [RESET, INIT]",
        refusal(new Pair(QpType.RC, QpState.RESET, QpState.RTS), new QpAttr()).getMessage());
  }

  @Test
  @DisplayName("D3: the message names all that is missing and not allowed, and what to set")
  void message() {
    assertEquals(
        "modify UD QP RESET -> INIT: missing [PKEY_INDEX, PORT], not allowed [ACCESS_FLAGS]"
            + " (EINVAL). Try: set [PKEY_INDEX, PORT, QKEY]",
        refusal(
                new Pair(QpType.UD, QpState.RESET, QpState.INIT),
                new QpAttr().state(QpState.INIT).qkey(1).accessFlags(0))
            .getMessage());
  }

  @Test
  @DisplayName("Modify QP: STATE and CUR_STATE must say what is so")
  void statesMustAgree() {
    Pair p = new Pair(QpType.UC, QpState.SQE, QpState.RTS);
    assertEquals("STATE says SQD", refusal(p, new QpAttr().state(QpState.SQD)).why());
    assertEquals("CUR_STATE says RTS", refusal(p, new QpAttr().curState(QpState.RTS)).why());
    QpTransitions.check(
        p.type, p.from, p.to, new QpAttr().state(QpState.RTS).curState(QpState.SQE));
  }
}
