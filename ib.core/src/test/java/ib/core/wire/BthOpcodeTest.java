package ib.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("IBA table 38: the opcodes of BTH")
class BthOpcodeTest {

  @Test
  @DisplayName("the table, printed, is the specification's")
  void printed() throws IOException {
    StringBuilder printed = new StringBuilder();
    for (BthOpcode opcode : BthOpcode.values()) {
      String headers = opcode.headers().stream().map(Enum::name).collect(Collectors.joining(" "));
      printed.append(
          String.format(
                  Locale.ROOT,
                  "%02X  %-29s %-4s %-7s %-14s",
                  opcode.value(),
                  opcode.name(),
                  opcode.headerBytes(),
                  opcode.payload(),
                  headers)
              .stripTrailing());
      printed.append('\n');
    }
    try (InputStream in =
        Objects.requireNonNull(BthOpcodeTest.class.getResourceAsStream("opcodes.txt"))) {
      String table = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      assertEquals(table.replaceAll("(?m)^#.*\n", ""), printed.toString());
    }
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName("a name says the service, the part and what follows")
  void names(BthOpcode opcode) {
    String name = opcode.name();
    assertSame(opcode, BthOpcode.of(opcode.value()));
    assertSame(opcode, BthOpcode.of(opcode.value() | 0x700), "only 8 bits count");
    assertTrue(name.startsWith(opcode.service().name()), name);
    assertEquals(opcode.service().bits(), opcode.value() & 0xe0);
    assertEquals(name.contains("FIRST"), opcode.part() == BthOpcode.Part.FIRST);
    assertEquals(name.contains("MIDDLE"), opcode.part() == BthOpcode.Part.MIDDLE);
    assertEquals(name.contains("LAST"), opcode.part() == BthOpcode.Part.LAST);
    assertEquals(name.endsWith("_IMM"), opcode.has(ExtendedHeader.IMM_DT));
    assertEquals(name.endsWith("_INV"), opcode.has(ExtendedHeader.IETH));
    assertEquals(name.startsWith("UD"), opcode.has(ExtendedHeader.DETH));
    assertEquals(
        name.contains("RESPONSE") || name.contains("ACKNOWLEDGE"), opcode.operation().isResponse());
    int bytes = opcode.headers().stream().mapToInt(ExtendedHeader::bytes).sum();
    assertEquals(Bth.BYTES + bytes, opcode.headerBytes());
  }

  @Test
  @DisplayName("IBA 9.2.1: all other numbers are unknown, RD and XRC among them")
  void unknown() {
    int known = 0;
    for (int i = 0; i < 256; i++) {
      known += BthOpcode.of(i) == null ? 0 : 1;
    }
    assertEquals(BthOpcode.values().length, known);
    assertNull(BthOpcode.of(0x15));
    assertNull(BthOpcode.of(0x40));
    assertNull(BthOpcode.of(0xa0));
    assertNull(BthOpcode.of(0xff));
  }

  @Test
  @DisplayName("IBA 9.7.4.1.6: what a decoder may not accept whatever the MTU")
  void payloads() {
    assertTrue(PayloadRule.NONE.possible(0));
    assertFalse(PayloadRule.NONE.possible(1));
    assertTrue(PayloadRule.ANY.possible(4096));
    assertFalse(PayloadRule.ANY.possible(4097));
    assertFalse(PayloadRule.ANY.possible(-1));
    assertTrue(PayloadRule.EIGHT.possible(8));
    assertFalse(PayloadRule.EIGHT.possible(7));
    assertFalse(PayloadRule.SIXTEEN.possible(8));
  }
}
