package samples.nvmet;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * The blocks of the namespace: a piece of memory, or a file mapped into memory. The network reads
 * and writes them in place, so two commands that are under way for the same block may each see part
 * of the other, as on a disk without a promise of atomic writes beyond power loss. Any thread may
 * call.
 */
public final class Store implements AutoCloseable {
  /** Bytes of a block. */
  static final int BLOCK_BYTES = 512;

  private final Arena arena;
  private final MemorySegment memory;
  private final UUID id;

  private Store(Arena arena, MemorySegment memory, UUID id) {
    this.arena = arena;
    this.memory = memory;
    this.id = id;
  }

  /**
   * Blocks in memory, all zero, which are gone when this is closed.
   *
   * @param bytes size, a multiple of 512
   * @return close it after the target
   * @throws IllegalArgumentException for another size
   */
  public static Store memory(long bytes) {
    check(bytes);
    Arena arena = Arena.ofShared();
    try {
      return new Store(arena, arena.allocate(bytes, BLOCK_BYTES), UUID.randomUUID());
    } catch (OutOfMemoryError e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Blocks in a file, which is made where there is none, and made longer where it is shorter. What
   * hosts have written is in the file for good when their Flush has ended.
   *
   * @param file its path names the namespace: the same path has the same identifier again
   * @param bytes size, a multiple of 512
   * @return close it after the target
   * @throws IllegalArgumentException for another size
   * @throws IOException when the file cannot be opened or mapped
   */
  public static Store file(Path file, long bytes) throws IOException {
    check(bytes);
    Arena arena = Arena.ofShared();
    boolean made = false;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
      UUID id = UUID.nameUUIDFromBytes(file.toRealPath().toUri().toString().getBytes());
      made = true;
      return new Store(arena, mapped, id);
    } finally {
      if (!made) {
        arena.close();
      }
    }
  }

  private static void check(long bytes) {
    if (bytes < BLOCK_BYTES || bytes % BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "a namespace of " + bytes + " bytes: it is made of blocks of " + BLOCK_BYTES);
    }
  }

  MemorySegment memory() {
    return memory;
  }

  long blocks() {
    return memory.byteSize() / BLOCK_BYTES;
  }

  UUID id() {
    return id;
  }

  /** {@return whether written blocks wait for {@link #flush}} */
  boolean isCached() {
    return memory.isMapped();
  }

  /** Writes what hosts have written into the file; may block. */
  void flush() {
    if (isCached()) {
      memory.force();
    }
  }

  /** Writes what is not in the file yet, and gives the memory back. */
  @Override
  public void close() {
    flush();
    arena.close();
  }
}
