package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IBA 10.6: a region's two keys, opened at once or by posted requests. */
class RegionTest {
  static final int DOMAIN = 7;
  private static final int LKEY = 0x100;
  private static final int RKEY = 0x200;
  private static final long RANDOM = 0x5000;
  private static final int RIGHTS = Access.LOCAL_WRITE | Access.REMOTE_READ;

  private final MemorySegment memory = Arena.ofAuto().allocate(64, 64);
  private final MemorySegment more = Arena.ofAuto().allocate(32, 64);
  private final KeyHolder self = holder(DOMAIN);

  static KeyHolder holder(int domain) {
    return new KeyHolder() {
      @Override
      public int domain() {
        return domain;
      }

      @Override
      public boolean dead() {
        return false;
      }
    };
  }

  private static Region region(int segmentsMost) {
    return new Region(DOMAIN, segmentsMost, RANDOM, LKEY, RKEY);
  }

  private Region mapped() {
    Region region = region(2);
    region.map(new MemorySegment[] {memory, more});
    return region;
  }

  private static boolean opens(Key key, int number, int rights, long address, long bytes) {
    return key.admit(number, DOMAIN, key, rights, address, bytes) != Key.REFUSED;
  }

  @Test
  @DisplayName("D9: both keys open the memory at a random address that is aligned as the memory is")
  void open() {
    Region region = region(0);
    assertFalse(region.fast());
    region.open(memory, RANDOM, RIGHTS);
    long at = RANDOM | memory.address() & 4095;
    assertEquals(at, region.iova());
    assertEquals(64, region.length());
    assertEquals(RIGHTS, region.access());
    assertSame(memory, region.segment());
    assertTrue(opens(region.local(), LKEY, RIGHTS, at, 64));
    assertTrue(opens(region.remote(), RKEY, RIGHTS, at, 64));
    assertFalse(opens(region.remote(), RKEY, RIGHTS, at, 65));
    assertFalse(opens(region.remote(), RKEY, Access.REMOTE_WRITE, at, 64));
  }

  @Test
  @DisplayName("IBA 10.6.3: zero-based, the first address is 0")
  void zeroBased() {
    Region region = region(0);
    region.open(memory, RANDOM, RIGHTS | Access.ZERO_BASED);
    assertEquals(0, region.iova());
    assertTrue(opens(region.remote(), RKEY, RIGHTS, 0, 64));
    assertFalse(region.invalidate(false), "not by posted requests");
    assertFalse(region.register(self, RKEY, RIGHTS));
  }

  @Test
  @DisplayName("IBA 11.2.8.5: registered anew it has new keys, and the old ones stay as they are")
  void renumber() {
    Region region = region(0);
    region.open(memory, RANDOM, RIGHTS);
    Key before = region.remote();
    region.renumber(0x300, 0x400);
    region.open(more, RANDOM, RIGHTS);
    assertEquals(0x300, region.local().number());
    assertEquals(0x400, region.remote().number());
    assertNotEquals(before, region.remote());
    assertTrue(before.isOpen());
    assertSame(region, region.remote().object());
    assertEquals(32, region.length());
  }

  @Test
  @DisplayName("IBA 10.6.4: a fast registration opens nothing before it is mapped and registered")
  void unmapped() {
    Region region = region(2);
    assertTrue(region.fast());
    assertEquals(2, region.segmentsMost());
    assertEquals(0, region.iova());
    assertEquals(0, region.length());
    assertSame(MemorySegment.NULL, region.segment());
    assertFalse(region.register(self, RKEY, RIGHTS));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 10.6.4: REG_MR opens all segments, one behind the other, under its new key")
  void register(boolean zeroBased) {
    Region region = mapped();
    long at = zeroBased ? 0 : RANDOM | memory.address() & 4095;
    int rights = RIGHTS | (zeroBased ? Access.ZERO_BASED : 0);
    assertEquals(0, region.access());
    assertTrue(region.register(self, RKEY | 5, rights));
    assertEquals(rights, region.access());
    assertEquals(at, region.iova());
    assertEquals(96, region.length());
    assertTrue(opens(region.remote(), RKEY | 5, RIGHTS, at, 96));
    assertTrue(opens(region.local(), LKEY, RIGHTS, at, 96));
    assertFalse(opens(region.remote(), RKEY | 5, RIGHTS, at, 97));
    assertFalse(region.register(self, RKEY, rights), "it is not free");
    assertTrue(opens(region.remote(), RKEY | 5, RIGHTS, at, 96), "and stays");
    region.map(new MemorySegment[] {more});
    assertEquals(0, region.access(), "of what is mapped for the next one");
  }

  @Test
  @DisplayName("IBA 10.6.4.3: who may not register: another domain, another key, unknown rights")
  void refused() {
    Region region = mapped();
    assertFalse(region.register(holder(DOMAIN + 1), RKEY, RIGHTS));
    assertFalse(region.register(self, RKEY + 0x100, RIGHTS));
    assertFalse(region.register(self, RKEY, RIGHTS | 1 << 30));
    assertFalse(region.register(self, RKEY, Access.REMOTE_WRITE), "without LOCAL_WRITE");
    assertFalse(region.register(self, RKEY, Access.REMOTE_ATOMIC), "without LOCAL_WRITE");
    assertTrue(region.register(self, RKEY, Access.REMOTE_READ));
  }

  @Test
  @DisplayName("IBA 10.6.4.3: a registration that meets a change of either key has changed nothing")
  void changing() {
    Region region = mapped();
    long begun = region.local().begin(false);
    assertFalse(region.register(self, RKEY, RIGHTS));
    region.local().close(begun, LKEY);
    assertTrue(region.register(self, RKEY, RIGHTS), "the rkey was given back");
  }

  @Test
  @DisplayName("IBA 10.6.5: an invalidation closes both keys; of a free one it must not be asked")
  void invalidate() {
    Region region = mapped();
    assertFalse(region.invalidate(true));
    assertTrue(region.invalidate(false), "it is closed already");
    assertTrue(region.register(self, RKEY, RIGHTS));
    region.bound();
    assertEquals(1, region.windows());
    assertFalse(region.invalidate(true), "a window is bound");
    region.unbound();
    assertEquals(0, region.windows());
    assertTrue(region.invalidate(true));
    assertFalse(region.local().isOpen());
    assertFalse(region.remote().isOpen());
    assertEquals(RKEY, region.remote().number());
    assertTrue(region.register(self, RKEY, RIGHTS), "it is free again");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 10.6.5: it is settled when no copy is in progress by either key")
  void settled(boolean remote) {
    Region region = mapped();
    assertTrue(region.settled());
    Key key = remote ? region.remote() : region.local();
    key.enter();
    assertFalse(region.settled());
    key.leave();
    assertTrue(region.settled());
  }
}
