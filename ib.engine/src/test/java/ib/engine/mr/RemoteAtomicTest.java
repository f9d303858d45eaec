package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("IBA 9.4.5: atomic operations on registered memory")
class RemoteAtomicTest {
  private static final int KEY = 0x100;
  private static final int DOMAIN = 1;
  private static final long FIRST = 0x4000;

  private final RemoteAtomic atomic = new RemoteAtomic();

  private static Key open(MemorySegment memory) {
    Key key = new Key(KEY, DOMAIN, memory, true);
    MemorySegment[] one = {memory};
    long[] at = {FIRST, FIRST + memory.byteSize()};
    key.open(key.begin(false), KEY, one, at, Access.REMOTE_ATOMIC);
    return key;
  }

  private int execute(RemoteAtomic.Op op, Key key, long at, long operand, long compare) {
    long version = key.admit(KEY, DOMAIN, this, Access.REMOTE_ATOMIC, FIRST + at, 8);
    int result = atomic.execute(op, key, version, FIRST + at, operand, compare);
    assertTrue(key.idle(), "counted, and ended");
    return result;
  }

  @Test
  @DisplayName("swap when equal, add, write: at the address, and the value before is kept")
  void operations() {
    long[] words = {7, 40, 9};
    Key key = open(MemorySegment.ofArray(words));
    assertEquals(Copier.OK, execute(RemoteAtomic.Op.FETCH_ADD, key, 8, 2, 0));
    assertEquals(40, atomic.original());
    assertEquals(42, words[1]);
    assertEquals(Copier.OK, execute(RemoteAtomic.Op.COMPARE_SWAP, key, 8, 5, 41));
    assertEquals(42, atomic.original());
    assertEquals(42, words[1], "another value was expected");
    assertEquals(Copier.OK, execute(RemoteAtomic.Op.COMPARE_SWAP, key, 8, 5, 42));
    assertEquals(5, words[1]);
    assertEquals(Copier.OK, execute(RemoteAtomic.Op.WRITE, key, 8, 77, 0));
    assertEquals(77, words[1]);
    assertEquals(7 + 9, words[0] + words[2], "no other word");
  }

  @Test
  @DisplayName("D6: a closed arena, memory that is read only, no alignment: refused, not thrown")
  void refused() {
    Arena arena = Arena.ofShared();
    Key gone = open(arena.allocate(16, 8));
    assertEquals(Copier.OK, execute(RemoteAtomic.Op.FETCH_ADD, gone, 0, 1, 0));
    assertEquals(Copier.TARGET, execute(RemoteAtomic.Op.FETCH_ADD, gone, 4, 1, 0));
    arena.close();
    assertEquals(Copier.TARGET, execute(RemoteAtomic.Op.WRITE, gone, 0, 1, 0));
    MemorySegment constant = MemorySegment.ofArray(new long[2]).asReadOnly();
    assertEquals(Copier.TARGET, execute(RemoteAtomic.Op.FETCH_ADD, open(constant), 8, 1, 0));
  }

  @Test
  @DisplayName("D6: a key that was closed since changes nothing")
  void closed() {
    long[] words = {7};
    Key key = open(MemorySegment.ofArray(words));
    MemorySegment[] other = {MemorySegment.ofArray(words)};
    long before = key.admit(KEY, DOMAIN, this, Access.REMOTE_ATOMIC, FIRST, 8);
    key.close(key.begin(true), KEY);
    key.open(key.begin(false), KEY, other, new long[] {FIRST, FIRST + 8}, Access.REMOTE_ATOMIC);
    int result = atomic.execute(RemoteAtomic.Op.WRITE, key, before, FIRST, 1, 0);
    assertEquals(Copier.TARGET, result);
    assertEquals(7, words[0]);
  }
}
