package samples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import ib.core.verbs.*;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Sends a text from one device to another, over a reliable connection. */
public final class Message {
  private static final int MAX_BYTES = 1024;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private Message() {}

  /** Sends the text and returns what arrived. */
  public static String send(String text, IbDevice from, IbDevice to) {
    QpCap one = new QpCap(1, 1, 1, 1, MAX_BYTES); // one request in each queue at a time
    byte[] bytes = text.getBytes(UTF_8);
    try (var fromPd = from.allocPd();
        var toPd = to.allocPd();
        var sent = from.createCq(new CqInit(1));
        var received = to.createCq(new CqInit(1));
        var sender = fromPd.createQp(new QpInit(QpType.RC, sent, one));
        var receiver = toPd.createQp(new QpInit(QpType.RC, received, one));
        var memory = toPd.allocMemory(MAX_BYTES, 8, Access.LOCAL_WRITE)) {
      QueuePairs.connect(sender, receiver);
      // The receiver says where the message may go before the sender sends it.
      check(receiver, receiver.postReceive(1, memory.lkey(), memory.iova(), MAX_BYTES));
      check(
          sender,
          sender.postSend(
              new SendWr(1)
                  .inline(MemorySegment.ofArray(bytes), 0, bytes.length)
                  .flags(SendFlags.SIGNALED))); // with a completion, for which await waits
      sent.await(LIMIT).check();
      int length = received.await(LIMIT).check().byteLen();
      byte[] arrived = memory.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      return new String(arrived, UTF_8);
    }
  }

  private static void check(QueuePair at, int status) {
    if (status != PostStatus.OK) {
      throw new IllegalStateException(PostStatus.text(status, at));
    }
  }
}
