package samples.ulp;

import static java.nio.charset.StandardCharsets.UTF_8;

import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * Two connected queue pairs of one device, and memory for one text. One text at a time: the lock of
 * this object is held while a text is under way, so {@link #close} waits for it.
 */
final class Link implements AutoCloseable {
  static final int MAX_BYTES = 256; // inline: every device of ib takes that many
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final ProtectionDomain pd;
  private final CompletionQueue sent;
  private final CompletionQueue received;
  private final QueuePair sender;
  private final QueuePair receiver;
  private final MemoryRegion memory;
  private boolean closed;

  Link(IbDevice device) {
    QpCap one = new QpCap(1, 1, 1, 1, MAX_BYTES); // one request in each queue at a time
    pd = device.allocPd();
    sent = device.createCq(new CqInit(1));
    received = device.createCq(new CqInit(1));
    sender = pd.createQp(new QpInit(QpType.RC, sent, one));
    receiver = pd.createQp(new QpInit(QpType.RC, received, one));
    memory = pd.allocMemory(MAX_BYTES, 8, Access.LOCAL_WRITE);
    QueuePairs.connect(sender, receiver);
  }

  synchronized String say(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("a text has at most " + MAX_BYTES + " bytes");
    }
    if (closed) {
      return "the device has gone";
    }
    // The receiver says where the message may go before the sender sends it.
    check(receiver, receiver.postReceive(1, memory.lkey(), memory.iova(), MAX_BYTES));
    check(
        sender,
        sender.postSend(
            new SendWr(1)
                .inline(MemorySegment.ofArray(bytes), 0, bytes.length)
                .flags(SendFlags.SIGNALED))); // with a completion, for which await waits
    sent.await(LIMIT).check(); // a device that is torn out completes it with an error
    int length = received.await(LIMIT).check().byteLen();
    return new String(memory.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
  }

  private static void check(QueuePair at, int status) {
    if (status != PostStatus.OK) {
      throw new IllegalStateException(PostStatus.text(status, at));
    }
  }

  /** Gives everything back, users before what they use. */
  @Override
  public synchronized void close() {
    closed = true;
    sender.close();
    receiver.close();
    memory.close();
    sent.close();
    received.close();
    pd.close();
  }
}
