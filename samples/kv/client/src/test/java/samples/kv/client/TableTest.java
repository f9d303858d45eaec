package samples.kv.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbInvalidException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import samples.kv.api.Bucket;
import samples.kv.api.KeyValueServer;
import samples.kv.server.Table;

/** A bucket and a table, without devices. */
class TableTest {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private static Bucket bucket(String key, String value) {
    Bucket bucket = new Bucket(MemorySegment.ofArray(new byte[Bucket.BYTES]));
    bucket.write(key.getBytes(UTF_8), value.getBytes(UTF_8));
    return bucket;
  }

  /** Each byte of the old content on its own in the new one. */
  @Test
  void aBucketThatIsHalfWrittenIsNotWhole() {
    byte[] before = bucket("key", "x".repeat(Bucket.MAX_VALUE_BYTES)).memory().toArray(BYTE);
    byte[] after = bucket("key", "y".repeat(Bucket.MAX_VALUE_BYTES)).memory().toArray(BYTE);
    assertTrue(new Bucket(MemorySegment.ofArray(after)).isWhole());
    for (int at = 0; at < Bucket.BYTES; at++) {
      byte[] torn = after.clone();
      torn[at] = before[at];
      boolean same = before[at] == after[at];
      assertEquals(same, new Bucket(MemorySegment.ofArray(torn)).isWhole(), "byte " + at);
    }
  }

  @Test
  void lengthsThatDoNotFitAreNotWhole() {
    for (int at = 4; at < 12; at++) { // both lengths
      for (int value = Byte.MIN_VALUE; value <= Byte.MAX_VALUE; value++) {
        Bucket bucket = bucket("key", "value");
        boolean same = bucket.memory().get(BYTE, at) == value;
        bucket.memory().set(BYTE, at, (byte) value);
        assertEquals(same, bucket.isWhole(), at + ": " + value);
      }
    }
  }

  @Test
  void aWrongMessageIsRefusedAndChangesNothing() {
    Table table = new Table(4);
    MemorySegment put = bucket("key", "value").memory();
    assertEquals(KeyValueServer.REFUSED, table.apply(0, put, Bucket.BYTES));
    assertEquals(KeyValueServer.REFUSED, table.apply(3, put, Bucket.BYTES));
    assertEquals(KeyValueServer.REFUSED, table.apply(KeyValueServer.PUT, put, Bucket.BYTES - 1));
    put.set(BYTE, 16, (byte) 0); // no longer what its CRC belongs to
    assertEquals(KeyValueServer.REFUSED, table.apply(KeyValueServer.PUT, put, Bucket.BYTES));
    assertEquals(
        -1,
        table.memory().mismatch(MemorySegment.ofArray(new byte[(int) table.memory().byteSize()])));
  }

  @Test
  void aKeyThatWasDeletedLeavesAPlaceForAnother() {
    Table table = new Table(1);
    for (int i = 0; i < Bucket.PROBES; i++) {
      assertEquals(KeyValueServer.DONE, put(table, "key" + i));
    }
    assertEquals(KeyValueServer.FULL, put(table, "more"));
    assertEquals(KeyValueServer.DONE, put(table, "key2"), "it has a bucket");
    MemorySegment delete = bucket("key1", "").memory();
    assertEquals(KeyValueServer.DONE, table.apply(KeyValueServer.DELETE, delete, Bucket.BYTES));
    assertEquals(KeyValueServer.ABSENT, table.apply(KeyValueServer.DELETE, delete, Bucket.BYTES));
    assertTrue(Bucket.of(table.memory(), 1).isFree());
    assertEquals(KeyValueServer.DONE, put(table, "key3"), "it has a bucket already");
    assertTrue(Bucket.of(table.memory(), 1).isFree(), "so it gets no second one");
    assertEquals(KeyValueServer.DONE, put(table, "more"));
    assertFalse(Bucket.of(table.memory(), 1).isFree());
  }

  @Test
  void aTableHasAtLeastOneBucket() {
    for (int wrong : new int[] {Integer.MIN_VALUE, -1, 0, Table.MAX_BUCKETS + 1}) {
      var refused = assertThrows(IbInvalidException.class, () -> new Table(wrong));
      String range = "1 to " + Table.MAX_BUCKETS;
      String text = refused.getMessage();
      assertTrue(text.contains("buckets is " + wrong) && text.contains(range), text);
    }
  }

  private static int put(Table table, String key) {
    return table.apply(KeyValueServer.PUT, bucket(key, "value").memory(), Bucket.BYTES);
  }
}
