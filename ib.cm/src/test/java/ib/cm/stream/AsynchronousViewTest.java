package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.stream.StreamWorld.Both;
import ib.driver.soft.standalone.SoftFabric;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousByteChannel;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 14, section 3: the view of a stream as an AsynchronousByteChannel")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsynchronousViewTest {
  private final StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"));
  private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
  private final CompletionHandler<Integer, String> handler =
      new CompletionHandler<>() {
        @Override
        public void completed(Integer bytes, String attachment) {
          heard.add(attachment + " " + bytes);
        }

        @Override
        public void failed(Throwable why, String attachment) {
          heard.add(why);
        }
      };

  @AfterEach
  void close() {
    world.close();
  }

  private Object hear() throws InterruptedException {
    Object next = heard.poll(1, TimeUnit.MINUTES);
    assertNotNull(next, "nothing was heard");
    return next;
  }

  @Test
  @DisplayName("bytes go both ways, by handlers and by futures; a handler reads on")
  void exchanges() throws Exception {
    try (Both both = world.connected(StreamWorld.DEFAULTS)) {
      AsynchronousByteChannel mine = both.mine().asynchronous();
      AsynchronousByteChannel theirs = both.theirs().asynchronous();
      ByteBuffer into = ByteBuffer.allocate(1);
      mine.read(
          into,
          "first",
          new CompletionHandler<Integer, String>() {
            @Override
            public void completed(Integer bytes, String attachment) {
              heard.add(attachment + " " + bytes);
              mine.read(into.clear(), "second", handler); // none is pending any more
            }

            @Override
            public void failed(Throwable why, String attachment) {
              heard.add(why);
            }
          });
      theirs.write(ByteBuffer.wrap(new byte[] {5, 6}), "write", handler);
      assertEquals(Set.of("first 1", "write 2", "second 1"), Set.of(hear(), hear(), hear()));
      assertEquals(6, into.get(0));
      Future<Integer> read = theirs.read(ByteBuffer.allocate(100));
      assertFalse(read.isDone());
      assertEquals(3, mine.write(ByteBuffer.allocate(3)).get(1, TimeUnit.MINUTES));
      assertEquals(3, read.get(1, TimeUnit.MINUTES));
      both.mine().shutdownOutput();
      assertEquals(-1, theirs.read(into.clear()).get(1, TimeUnit.MINUTES));
    }
  }

  @Test
  @DisplayName("RG-21: a wait for a read that ends while bytes arrive loses none of them")
  void patienceEnds() throws Exception {
    try (Both both = world.connected(StreamWorld.DEFAULTS)) {
      AsynchronousByteChannel mine = both.mine().asynchronous();
      AsynchronousByteChannel theirs = both.theirs().asynchronous();
      ByteBuffer into = ByteBuffer.allocate(1);
      int inVain = 0;
      for (int i = 0; i < 1000 || inVain == 0; i++) {
        Future<Integer> read = mine.read(into.clear());
        Future<Integer> write = theirs.write(ByteBuffer.wrap(new byte[] {(byte) i}));
        try {
          read.get(i % 50, TimeUnit.MICROSECONDS);
        } catch (TimeoutException e) {
          inVain++;
        }
        assertEquals(1, read.get(1, TimeUnit.MINUTES));
        assertEquals((byte) i, into.get(0));
        assertEquals(1, write.get(1, TimeUnit.MINUTES));
      }
    }
  }

  @Test
  @DisplayName("one read and one write at a time; others are refused, and nothing of them is left")
  void pending() throws Exception {
    try (Both both = world.connected(StreamWorld.DEFAULTS)) {
      AsynchronousByteChannel mine = both.mine().asynchronous();
      Future<Integer> read = mine.read(ByteBuffer.allocate(1));
      assertThrows(ReadPendingException.class, () -> mine.read(ByteBuffer.allocate(1)));
      assertThrows(
          IllegalArgumentException.class,
          () -> mine.read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
      Future<Integer> write = mine.write(ByteBuffer.allocate(1 << 20)); // more than the peer takes
      assertThrows(WritePendingException.class, () -> mine.write(ByteBuffer.allocate(1)));
      both.theirs().write(ByteBuffer.allocate(1));
      assertEquals(1, read.get(1, TimeUnit.MINUTES));
      for (int left = 1 << 20; left > 0; ) {
        left -= both.theirs().read(ByteBuffer.allocate(left));
      }
      assertEquals(1 << 20, write.get(1, TimeUnit.MINUTES));
    }
  }

  @Test
  @DisplayName("a close ends what is pending, a cancellation with an interrupt closes")
  void closes() throws Exception {
    try (Both both = world.connected(StreamWorld.DEFAULTS)) {
      AsynchronousByteChannel mine = both.mine().asynchronous();
      mine.read(ByteBuffer.allocate(1), "read", handler);
      assertTrue(mine.isOpen());
      mine.close();
      assertInstanceOf(AsynchronousCloseException.class, hear());
      assertFalse(mine.isOpen());
      Future<Integer> late = mine.read(ByteBuffer.allocate(1));
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> late.get(1, TimeUnit.MINUTES));
      assertInstanceOf(ClosedChannelException.class, e.getCause());
      AsynchronousByteChannel theirs = both.theirs().asynchronous();
      assertEquals(-1, theirs.read(ByteBuffer.allocate(1)).get(1, TimeUnit.MINUTES));
    }
    try (Both both = world.connected(StreamWorld.DEFAULTS)) {
      Future<Integer> read = both.mine().asynchronous().read(ByteBuffer.allocate(1));
      assertTrue(read.cancel(true));
      assertEquals(-1, both.theirs().read(ByteBuffer.allocate(1)), "the peer sees the close");
    }
  }
}
