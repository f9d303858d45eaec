package ib.core.mad.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.smp.MadField;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CM-5: messages of the connection manager in words")
class CmTextTest {
  private static final int MAD_BYTES = 256;
  private static final Set<String> NAMES = Set.of("RC", "UC", "RD", "XRC");

  /** {@return lines of a name, as {@link Recorded} has it, and the words of that message} */
  private static List<String> golden() throws IOException {
    try (InputStream in = CmTextTest.class.getResourceAsStream("words.txt")) {
      assertNotNull(in, "words.txt");
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  @DisplayName("a connection of Linux's rping, each kind of message, each reason, and what is none")
  void words() throws IOException {
    List<String> wanted = golden();
    Set<String> names = new HashSet<>();
    wanted.forEach(line -> names.add(line.substring(0, line.indexOf(' '))));
    List<String> lines =
        Recorded.all().stream()
            .filter(r -> names.contains(r.toString()))
            .map(r -> r + " " + CmText.of(r.mad()))
            .toList();
    assertEquals(String.join("\n", wanted), String.join("\n", lines));
    assertTrue(wanted.size() > 20);
  }

  @Test
  @DisplayName("each recorded REJ says its reason in words")
  void reasons() {
    int rejected = 0;
    for (Recorded r : Recorded.all()) {
      if (r.decoded() instanceof CmMessage m && m.kind() == CmKind.REJ) {
        int code = m.value(CmField.REJ_REASON);
        String text = CmText.of(r.mad());
        assertTrue(text.contains("reason " + code + ": " + CmReason.text(code)), text);
        rejected++;
      }
    }
    assertTrue(rejected > 30, rejected + " rejections");
    assertEquals("see IBA table 108", CmReason.text(34));
    for (CmReason each : CmReason.values()) {
      assertEquals(each, CmReason.of(each.code()));
    }
  }

  @Test
  @DisplayName("no field is left out: a bit of any of them changes the line")
  void everyField() {
    for (CmField field : CmField.values()) {
      CmMessage m = plain(field.kind());
      if (field.name().startsWith("REQ_ALT_") && field != CmField.REQ_ALT_LOCAL_LID) {
        m.set(CmField.REQ_ALT_LOCAL_LID, 7); // else there is no alternate path
      }
      String before = CmText.of(m.mad());
      long value = m.longValue(field);
      for (int bit = 0; bit < field.bits(); bit++) {
        m.set(field, value ^ 1L << bit);
        if (CmMessage.read(m.mad()) instanceof CmMessage) {
          assertNotEquals(before, CmText.of(m.mad()), field + " bit " + bit);
        }
      }
      m.set(field, value);
      assertEquals(before, CmText.of(m.mad()), field.name());
    }
  }

  @Test
  @DisplayName("K22: a REQ says its transport by name, the extended ones, too")
  void transports() {
    CmMessage req = plain(CmKind.REQ);
    List<String> names = new ArrayList<>();
    for (int transport = 0; transport < 4; transport++) {
      for (int extended = 0; extended < 2; extended++) {
        req.set(CmField.REQ_TRANSPORT, transport).set(CmField.REQ_EXT_TRANSPORT, extended);
        names.add(
            Arrays.stream(CmText.of(req.mad()).split(", "))
                .filter(w -> NAMES.contains(w) || w.startsWith("extended transport"))
                .collect(Collectors.joining(" and ")));
      }
    }
    assertEquals(
        List.of(
            "RC",
            "RC and extended transport 1",
            "UC",
            "UC and extended transport 1",
            "RD",
            "RD and extended transport 1",
            "extended transport 0",
            "XRC"),
        names);
  }

  private static CmMessage plain(CmKind kind) {
    CmMessage m = CmMessage.of(kind, 1).set(id(kind), 5);
    return kind == CmKind.REQ ? m.set(CmField.REQ_MTU, 3) : m;
  }

  private static CmField id(CmKind kind) {
    for (CmField each : CmField.values()) {
      if (each.kind() == kind) {
        return each;
      }
    }
    throw new AssertionError(kind);
  }

  @Test
  @DisplayName("any 256 bytes give a line of the message's name, or say why they are none")
  void total() {
    Random random = new Random(15);
    int messages = 0;
    for (int i = 0; i < 50_000; i++) {
      byte[] bytes = new byte[MAD_BYTES];
      random.nextBytes(bytes);
      MemorySegment s = MemorySegment.ofArray(bytes);
      if (i % 4 != 0) { // a plausible header
        MadField.write(s, 0, 32, 0x01070203);
        MadField.write(s, 128, 16, 0x10 + random.nextInt(12));
      }
      if (i % 8 == 1) { // a plausible private header of RDMA CM
        MadField.write(s, (24 + 140) * 8, 16, random.nextBoolean() ? 0x0040 : 0x0060);
      }
      String text = CmText.of(Mad.of(s));
      if (CmMessage.read(Mad.of(s)) instanceof CmMessage m) {
        messages++;
        assertTrue(text.startsWith("CM " + m.kind() + " "), text);
      } else {
        assertTrue(text.contains("no message of a connection: "), text);
      }
      assertTrue(text.length() < 1200 && text.lines().count() == 1, text);
    }
    assertTrue(messages > 10_000, messages + " messages");
  }
}
