package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D5: a payload refers to pieces of memory")
class PayloadTest {
  private static final int MANY = 11; // more than there is room for at first

  private final MemorySegment memory = MemorySegment.ofArray(new byte[MANY]);
  private final Key key = new Key(0x100, 1, memory);
  private final Payload payload = new Payload();

  private long open() {
    MemorySegment[] one = {memory};
    key.open(key.begin(false), 0x100, one, new long[] {0, MANY}, 0);
    return key.admit(0x100, 1, this, 0, 0, MANY);
  }

  private void same(Payload of) {
    assertEquals(MANY, of.count());
    assertEquals(MANY * (MANY + 1) / 2, of.length());
    for (int i = 0; i < MANY; i++) {
      assertEquals(i, of.offset(i));
      assertEquals(i + 1, of.length(i));
      assertSame(memory, of.segment(i));
      assertSame(i % 2 == 0 ? key : null, of.key(i));
    }
  }

  @Test
  @DisplayName("as many pieces as are added, each with its own; another payload refers to the same")
  void pieces() {
    long version = open();
    payload.add(memory, 3, 3);
    payload.clear();
    assertEquals(0, payload.count() + payload.length());
    for (int i = 0; i < MANY; i++) {
      payload.add(i % 2 == 0 ? key : null, version, memory, i, i + 1);
    }
    same(payload);
    Payload other = new Payload();
    other.add(memory, 0, 1);
    other.set(payload);
    same(other);
    assertTrue(other.live(0));
    key.revoke();
    assertFalse(other.live(0), "a revoked key");
    assertTrue(other.live(1), "the packet's own memory");
  }

  @Test
  @DisplayName("a piece of the packet's own memory has no key, whatever had its place before")
  void own() {
    payload.add(key, open(), memory, 0, 1);
    payload.clear();
    payload.add(memory, 0, 1);
    assertNull(payload.key(0));
  }
}
