package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * B3: each way in which registered memory is read or written, while the file behind it is cut off.
 * Compiled code hears of that only at its next poll, so each way runs until it is compiled.
 */
class CutOffCopyTest {
  private static final int FILE = 1 << 14;
  private static final int KEY = 0x100;
  private static final int PART = 100;
  private static final int COMPILED = 300_000;
  private static final long[] WORDS = new long[FILE / Long.BYTES];

  /** One way; the mapped memory and as many bytes of the heap's. */
  enum Way {
    READ((mapped, other, n) -> Copier.inline(mapped, 0, other, 0, n)),
    WRITTEN((mapped, other, n) -> Copier.inline(other, 0, mapped, 0, n)),
    WORDS_READ((mapped, other, n) -> Copier.toWords(mapped, 0, WORDS, 0, n)),
    WORDS_WRITTEN((mapped, other, n) -> Copier.fromWords(WORDS, 0, n, mapped, 0)),
    SUMMED((mapped, other, n) -> Checksum.sum(payload(mapped, n), 0) >= 0);

    private final Copy copy;

    Way(Copy copy) {
      this.copy = copy;
    }

    private static Payload payload(MemorySegment memory, int bytes) {
      Payload payload = new Payload();
      payload.add(memory, 0, bytes);
      return payload;
    }
  }

  private interface Copy {
    boolean copies(MemorySegment mapped, MemorySegment other, int bytes);
  }

  @TempDir private Path folder;

  @ParameterizedTest
  @DisplayName("B3: a result, never an error that comes later")
  @CsvSource({
    "READ, 1",
    "READ, 3",
    "READ, 7",
    "READ, 8",
    "READ, 40",
    "READ, 100",
    "READ, 4096",
    "WRITTEN, 8",
    "WRITTEN, 40",
    "WRITTEN, 100",
    "WRITTEN, 4096",
    "WORDS_READ, 3",
    "WORDS_READ, 7",
    "WORDS_READ, 8",
    "WORDS_READ, 40",
    "WORDS_READ, 43",
    "WORDS_WRITTEN, 7",
    "WORDS_WRITTEN, 40",
    "WORDS_WRITTEN, 43",
    "SUMMED, 40",
    "SUMMED, 4096"
  })
  void cutOff(Way way, int bytes) throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve("memory"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE, arena);
      MemorySegment other = arena.allocate(FILE, 64);
      int copied = 0;
      for (int i = 0; i < COMPILED; i++) {
        copied += way.copy.copies(mapped, other, i % 2 == 0 ? bytes : 8) ? 1 : 0;
      }
      assertTrue(copied == COMPILED, () -> "all were copied while the file was there");
      channel.truncate(0);
      boolean late = false;
      boolean result = true;
      try {
        result = way.copy.copies(mapped, other, bytes);
        Thread.yield(); // a poll
      } catch (InternalError error) {
        late = true;
      }
      assertFalse(late, "the error came after the call");
      assertFalse(result);
    }
  }

  @Test
  @DisplayName("B3: of two memories the one whose last byte is not there has failed")
  void lastByte() throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve("memory"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE, arena);
      Key key = new Key(KEY, 1, this);
      MemorySegment[] target = {arena.allocate(FILE, 64)};
      key.open(key.begin(false), KEY, target, new long[] {0, FILE}, Access.LOCAL_WRITE);
      long version = key.admit(KEY, 1, key, Access.LOCAL_WRITE, 0, 2 * PART);
      channel.truncate(FILE / 2);
      assertEquals(Copier.SOURCE, Copier.into(key, version, 0, mapped, FILE / 2 - PART, 2 * PART));
    }
  }
}
