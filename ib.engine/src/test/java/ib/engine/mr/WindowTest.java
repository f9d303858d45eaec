package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.MwType;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** IBA 10.6.7: what binds open and close. */
class WindowTest {
  private static final int DOMAIN = RegionTest.DOMAIN;
  private static final int NUMBER = 0x700;
  private static final int LENGTH = 64;
  private static final int READ = Access.REMOTE_READ;
  private static final int WRITE = Access.REMOTE_WRITE;

  private final KeyHolder self = RegionTest.holder(DOMAIN);
  private final Region region = region(Access.LOCAL_WRITE | Access.MW_BIND);
  private final long at = region.iova();

  private static Region region(int rights) {
    Region made = new Region(DOMAIN, 0, 0, 0x100, 0x200);
    made.open(Arena.ofAuto().allocate(LENGTH, 64), 0x5000, rights);
    return made;
  }

  private static Window window(MwType type) {
    return new Window(type, DOMAIN, NUMBER);
  }

  private boolean bind(Window window, int number, int access) {
    return window.bind(self, region, number, at + 8, 16, access);
  }

  private boolean opens(Window window, KeyHolder who, int number, int rights, int from, int bytes) {
    return window.key().admit(number, DOMAIN, who, rights, at + from, bytes) != Key.REFUSED;
  }

  @Test
  @DisplayName("IBA 10.6.7.2.1: type 1: bound, bound again, unbound by a length of 0")
  void typeOne() {
    Window window = window(MwType.TYPE_1);
    assertTrue(bind(window, NUMBER | 1, READ));
    assertTrue(opens(window, RegionTest.holder(DOMAIN), NUMBER | 1, READ, 8, 16), "to all");
    assertFalse(opens(window, self, NUMBER | 1, READ, 8, 17));
    assertFalse(opens(window, self, NUMBER | 1, WRITE, 8, 16));
    assertEquals(1, region.windows());
    assertTrue(bind(window, NUMBER | 2, READ | WRITE));
    assertFalse(opens(window, self, NUMBER | 1, READ, 8, 16));
    assertTrue(opens(window, self, NUMBER | 2, WRITE, 8, 16));
    assertEquals(1, region.windows());
    assertFalse(window.invalidate(self), "o10-37.2.26: type 2 only");
    assertTrue(window.bind(self, null, NUMBER | 3, 0, 0, 0));
    assertFalse(window.key().isOpen());
    assertEquals(NUMBER | 3, window.key().number());
    assertEquals(0, region.windows());
    assertTrue(window.bind(self, null, NUMBER | 4, 0, 0, 0), "once more is no mistake");
    assertEquals(NUMBER | 4, window.key().number());
  }

  @Test
  @DisplayName("IBA 10.6.7.2.3: type 2: of the queue pair that bound it, till that invalidates it")
  void typeTwo() {
    Window window = window(MwType.TYPE_2);
    KeyHolder other = RegionTest.holder(DOMAIN);
    assertFalse(window.invalidate(self), "it is not bound");
    assertTrue(bind(window, NUMBER | 1, READ));
    assertTrue(opens(window, self, NUMBER | 1, READ, 8, 16));
    assertFalse(opens(window, other, NUMBER | 1, READ, 8, 16));
    assertFalse(bind(window, NUMBER | 2, READ), "o10-37.2.30: it is not free");
    assertFalse(window.bind(self, null, NUMBER | 2, 0, 0, 0), "o10-37.2.40: nor by no length");
    assertFalse(window.invalidate(other));
    assertTrue(window.invalidate(self));
    assertFalse(window.key().isOpen());
    assertEquals(NUMBER | 1, window.key().number());
    assertEquals(0, region.windows());
    assertTrue(bind(window, NUMBER | 2, READ));
  }

  @Test
  @DisplayName("IBA 10.6.7.2.6: of a queue pair that is destroyed, it may be bound by another")
  void orphaned() {
    Window window = window(MwType.TYPE_2);
    boolean[] dead = {false};
    KeyHolder gone =
        new KeyHolder() {
          @Override
          public int domain() {
            return DOMAIN;
          }

          @Override
          public boolean dead() {
            return dead[0];
          }
        };
    assertTrue(window.bind(gone, region, NUMBER | 1, at, 16, READ));
    assertFalse(bind(window, NUMBER | 2, READ));
    dead[0] = true;
    assertTrue(bind(window, NUMBER | 2, READ));
    assertTrue(opens(window, self, NUMBER | 2, READ, 8, 16));
    assertEquals(1, region.windows());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("C10-72 to C10-75: what a bind must have")
  void refused(MwType type) {
    Window window = window(type);
    assertFalse(window.bind(RegionTest.holder(8), region, NUMBER, at, 16, READ), "its domain");
    assertFalse(bind(window, NUMBER + 0x100, READ), "its index");
    assertFalse(bind(window, NUMBER, READ | Access.LOCAL_WRITE), "rights of the peer");
    assertFalse(window.bind(self, null, NUMBER, at, 16, READ), "a region");
    assertFalse(window.bind(self, region, NUMBER, at, LENGTH + 1, READ), "bounds");
    assertFalse(window.bind(self, region, NUMBER, at, -1, READ), "a length");
    Region unbindable = region(Access.LOCAL_WRITE);
    assertFalse(window.bind(self, unbindable, NUMBER, unbindable.iova(), 16, READ), "MW_BIND");
    Region readable = region(Access.MW_BIND);
    assertFalse(window.bind(self, readable, NUMBER, readable.iova(), 16, WRITE), "LOCAL_WRITE");
    int atomic = Access.REMOTE_ATOMIC;
    assertFalse(window.bind(self, readable, NUMBER, readable.iova(), 16, atomic), "LOCAL_WRITE");
    assertEquals(0, region.windows() + unbindable.windows() + readable.windows());
    assertTrue(window.bind(self, readable, NUMBER, readable.iova(), 16, READ));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a window that was closed opens nothing more, and pins no region")
  void closed(MwType type) {
    Window window = window(type);
    assertTrue(bind(window, NUMBER, READ));
    window.key().enter();
    assertFalse(window.settled());
    window.key().leave();
    assertTrue(window.settled());
    window.close();
    assertFalse(window.key().isOpen());
    assertEquals(0, region.windows());
    assertFalse(bind(window, NUMBER | 1, READ));
    assertFalse(window.key().isOpen());
    assertEquals(0, region.windows());
  }
}
