package ib.tools.lesson;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInterruptedException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrBuilder;
import ib.tools.getopt.CommandException;
import ib.tools.run.Made;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One end of a lesson: a device with a queue pair and memory. Its memory has two halves, one to
 * send from and one to receive into. For the lesson's thread only.
 */
final class Party implements AutoCloseable {
  /** Bytes of each half of the memory. */
  static final int HALF = 8192;

  private static final int REQUESTS = 16;
  private static final int PAGE = 4096;
  private static final long WAIT_S = 10;
  private static final int INTERRUPTED = 130; // the shell's status for SIGINT

  final IbDevice device;
  final ProtectionDomain pd;
  final MemoryRegion memory;
  final QueuePair qp;
  private final CompletionQueue cq;
  private final Made made = new Made();

  Party(IbDevice device, QpType type) {
    this.device = device;
    boolean complete = false;
    try {
      pd = made.make("ib:lesson: no protection domain", device::allocPd);
      int access =
          Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
      memory = made.make("ib:lesson: no memory", () -> pd.allocMemory(2 * HALF, PAGE, access));
      cq =
          made.make(
              "ib:lesson: no completion queue", () -> device.createCq(new CqInit(2 * REQUESTS)));
      QpCap cap = new QpCap(REQUESTS, REQUESTS, 1, 1, 0);
      qp = made.make("ib:lesson: no queue pair", () -> pd.createQp(new QpInit(type, cq, cap)));
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  static CommandException interrupted() {
    return new CommandException(INTERRUPTED, "ib:lesson: interrupted");
  }

  /** {@return the LID of its port} */
  int lid() {
    return device.queryPort(1).lid();
  }

  /** Makes the queue pair, of type UD, ready. */
  void ready(int qkey, int pkeyIndex) {
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(pkeyIndex).port(1).qkey(qkey));
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(QueuePair.randomPsn()));
  }

  /** Posts a receive of the whole second half of the memory. */
  void receive(long id) {
    check(qp.postReceive(id, memory.lkey(), memory.iova() + HALF, HALF));
  }

  /** Writes a text to the first half of the memory. {@return its length in bytes} */
  int write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < bytes.length; i++) {
      memory.segment().set(ValueLayout.JAVA_BYTE, i, bytes[i]);
    }
    return bytes.length;
  }

  /** Begins a request; its opcode and its data follow. */
  WrBuilder request(long id) {
    return qp.wrStart().wrId(id).wrFlags(SendFlags.SIGNALED);
  }

  /** Posts a request whose data is the beginning of the memory. */
  void post(WrBuilder request, int bytes) {
    check(request.wrSetSge(memory.lkey(), memory.iova(), bytes).wrComplete());
  }

  /** Sends a text. */
  void send(long id, String text) {
    int bytes = write(text);
    post(request(id).wrSend(), bytes);
  }

  /** Sends a text as a datagram. */
  void datagram(long id, String text, AddressHandle to, int qpn, int qkey) {
    int bytes = write(text);
    post(request(id).wrSend().wrSetUdAddress(to, qpn, qkey), bytes);
  }

  private void check(int status) {
    if (status != PostStatus.OK) {
      throw new CommandException("ib:lesson: a post was refused: " + PostStatus.text(status, qp));
    }
  }

  /**
   * Waits for the next completion.
   *
   * @return the completion, whatever its status
   * @throws CommandException after 10 s without one, or when the thread is interrupted
   */
  WorkCompletion completion() {
    try {
      return cq.await(Duration.ofSeconds(WAIT_S));
    } catch (IbInterruptedException e) {
      throw interrupted();
    } catch (IbTimedOutException e) {
      throw new CommandException("ib:lesson: no completion on " + device + " in " + WAIT_S + " s");
    }
  }

  /** {@return how many completions are there, at most one} */
  int completions() {
    return cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1);
  }

  /** {@return the text that a receive has brought} */
  String received(WorkCompletion done) {
    boolean datagram = qp.type() == QpType.UD; // its first 40 bytes are kept for a GRH
    int from = datagram ? WellKnown.GRH_BYTES : 0;
    byte[] bytes = new byte[done.byteLen() - from];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = memory.segment().get(ValueLayout.JAVA_BYTE, HALF + from + i);
    }
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  @Override
  public void close() {
    made.close();
  }
}
