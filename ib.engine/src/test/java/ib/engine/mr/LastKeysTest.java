package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keys that a queue pair used last. */
class LastKeysTest {
  private static final int NUMBER = 0x12345678;
  private static final int DOMAIN = 3;

  private final KeyTable lkeys = new KeyTable();
  private final KeyTable rkeys = new KeyTable();
  private final LastKeys keys = new LastKeys(lkeys, rkeys, DOMAIN);

  private static Key open(KeyTable table) {
    MemorySegment[] memory = {MemorySegment.ofArray(new long[1])};
    Key key = new Key(NUMBER, DOMAIN, memory);
    key.open(key.begin(false), NUMBER, memory, new long[] {0, 8}, Access.REMOTE_WRITE);
    table.put(key);
    return key;
  }

  private long admit(Key key) {
    return key.admit(NUMBER, DOMAIN, this, Access.REMOTE_WRITE, 0, 8);
  }

  @Test
  @DisplayName("a number that is given again is found again once the old key has refused")
  void givenAgain() {
    Key old = open(rkeys);
    assertSame(old, keys.remote(NUMBER));
    old.revoke();
    rkeys.remove(old);
    Key given = open(rkeys);
    assertSame(old, keys.remote(NUMBER)); // a hint, which opens nothing
    assertEquals(Key.REFUSED, admit(old));
    keys.forget(old);
    assertSame(given, keys.remote(NUMBER));
  }

  @Test
  @DisplayName("a kept key is not found by another low byte, which is another key")
  void remote() {
    Key key = open(rkeys);
    assertSame(key, keys.remote(NUMBER));
    rkeys.remove(key);
    assertSame(key, keys.remote(NUMBER));
    assertNull(keys.remote(NUMBER + 1));
  }

  @Test
  @DisplayName("local and remote keys of one number are kept apart; another low byte is looked up")
  void tables() {
    Key local = open(lkeys);
    assertSame(local, keys.local(NUMBER));
    assertSame(local, keys.receive(NUMBER));
    assertNull(keys.remote(NUMBER));
    lkeys.remove(local);
    assertSame(local, keys.local(NUMBER), "kept");
    assertNull(keys.local(NUMBER + 1));
    assertNull(keys.local(NUMBER));
    assertSame(local, keys.receive(NUMBER));
    keys.forget(local);
    assertNull(keys.receive(NUMBER));
  }

  @Test
  @DisplayName("each of the three keys is forgotten by itself; another low byte is another key")
  void forgotten() {
    Key local = open(lkeys);
    Key remote = open(rkeys);
    assertSame(local, keys.local(NUMBER));
    assertSame(local, keys.receive(NUMBER));
    assertSame(remote, keys.remote(NUMBER));
    lkeys.remove(local);
    rkeys.remove(remote);
    keys.forget(remote);
    assertSame(local, keys.local(NUMBER));
    assertSame(local, keys.receive(NUMBER));
    assertNull(keys.remote(NUMBER));
    assertNull(keys.receive(NUMBER + 1));
    keys.forget(local);
    assertNull(keys.local(NUMBER));
  }

  @Test
  @DisplayName("S6: a queue pair that is gone keeps neither keys nor elements")
  void cleared() {
    Key key = open(lkeys);
    assertSame(key, keys.local(NUMBER));
    assertSame(key, keys.receive(NUMBER));
    assertSame(open(rkeys), keys.remote(NUMBER));
    assertEquals(1, keys.elements(new long[2], 0, 1).count());
    lkeys.remove(key);
    rkeys.remove(key);
    keys.clear();
    assertEquals(0, keys.count());
    assertNull(keys.local(NUMBER));
    assertNull(keys.receive(NUMBER));
    assertNull(keys.remote(NUMBER));
  }
}
