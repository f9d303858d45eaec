package samples.nvmet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreTest {
  @TempDir Path folder;

  @Test
  void aFileKeepsWhatWasFlushedAndIsTheSameNamespaceAgain() throws Exception {
    Path file = folder.resolve("disk");
    byte[] block = new byte[512];
    Arrays.fill(block, (byte) 7);
    Store store = Store.file(file, 4096);
    try (store) {
      assertTrue(store.isCached());
      assertEquals(8, store.blocks());
      MemorySegment.copy(MemorySegment.ofArray(block), 0, store.memory(), 1024, 512);
      store.flush();
      assertArrayEquals(block, Arrays.copyOfRange(Files.readAllBytes(file), 1024, 1536));
    }
    try (Store again = Store.file(file, 8192)) {
      assertEquals(store.id(), again.id());
      assertEquals(7, again.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 1535));
      assertEquals(0, again.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 8191));
    }
    assertEquals(8192, Files.size(file));
  }

  @Test
  void memoryIsAnotherNamespaceEachTime() {
    try (Store one = Store.memory(512);
        Store two = Store.memory(512)) {
      assertFalse(one.isCached());
      assertNotEquals(one.id(), two.id());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -512, 511, 513})
  void aSizeIsANumberOfBlocks(long bytes) {
    assertThrows(IllegalArgumentException.class, () -> Store.memory(bytes));
    assertThrows(IllegalArgumentException.class, () -> Store.file(folder.resolve("x"), bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nqn with space", Subsystem.DISCOVERY, "nqn.\u00e9"})
  void aNameIsOneThatAHostCanSay(String nqn) {
    try (Store store = Store.memory(512)) {
      assertThrows(IllegalArgumentException.class, () -> new Subsystem(nqn, store));
      assertThrows(IllegalArgumentException.class, () -> new Subsystem("n".repeat(224), store));
      new Subsystem("n".repeat(223), store);
    }
  }
}
