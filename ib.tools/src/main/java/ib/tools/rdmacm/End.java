package ib.tools.rdmacm;

import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import ib.tools.run.Made;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection: the queue pair, its memory, its completions. For the command's thread,
 * but for the callbacks.
 */
public abstract class End implements QpFactory, RdmaHandler {
  private static final int PAGE = 4096;
  private static final long LOOK_MS = 200;

  /** Limits and memory of an end; without memory for 0 bytes. */
  public record Size(QpCap cap, long bytes, int access) {}

  private final Program program;
  private final Semaphore wakeUp = new Semaphore(0);
  private final Made made = new Made();
  private final WorkCompletion[] one = {new WorkCompletion()};
  private @Nullable ProtectionDomain domain;
  private @Nullable CompletionQueue cq;
  private @Nullable MemoryRegion memory;
  private @Nullable QueuePair qp;
  private volatile @Nullable RdmaEnd end;

  /** An end that nothing is made for yet. */
  protected End(Program program) {
    this.program = program;
  }

  /** {@return the type of the queue pair} */
  protected abstract QpType type();

  /** {@return what the queue pair needs at a port} */
  protected abstract Size size(IbDevice device, int port);

  /** A request or a message has completed, with success. */
  protected abstract void completed(WorkCompletion wc);

  @Override
  public QueuePair make(IbDevice device, int port) {
    Size size = size(device, port);
    try {
      ProtectionDomain pd = made.make("ibv_alloc_pd failed", device::allocPd);
      QpCap cap = size.cap;
      int entries = cap.maxSendWr() + cap.maxRecvWr();
      CqInit init = new CqInit(entries, (queue, c) -> wakeUp.release(), null);
      CompletionQueue queue = made.make("ibv_create_cq failed", () -> device.createCq(init));
      if (size.bytes > 0) {
        memory = made.make("reg_mr failed", () -> pd.allocMemory(size.bytes, PAGE, size.access));
      }
      domain = pd;
      cq = queue;
      qp = pd.createQp(new QpInit(type(), queue, cap));
      return qp;
    } catch (Throwable e) { // thrown by the driver
      made.close();
      throw e;
    }
  }

  @Override
  public void destroyed(QueuePair destroyed) {
    made.close();
  }

  @Override
  public void established(RdmaConnection connection) {
    wakeUp.release();
  }

  @Override
  public void ended(RdmaConnection connection, RdmaEnd how) {
    end = how;
    wakeUp.release();
  }

  /** {@return how the connection has ended; null while it has not} */
  public @Nullable RdmaEnd end() {
    return end;
  }

  /** {@return the memory, which is there with the queue pair, unless it has 0 bytes} */
  protected MemoryRegion memory() {
    return Objects.requireNonNull(memory, "no memory yet");
  }

  /** {@return the queue pair, which is there when the connection is} */
  protected QueuePair qp() {
    return Objects.requireNonNull(qp, "no queue pair yet");
  }

  /** {@return the protection domain, which is there with the queue pair} */
  protected ProtectionDomain domain() {
    return Objects.requireNonNull(domain, "no protection domain yet");
  }

  /**
   * Checks the status of a post to a queue pair.
   *
   * @throws CommandException when it has failed
   */
  protected static void check(String what, QueuePair at, int status) {
    if (status != PostStatus.OK) {
      throw new CommandException(what + " failed: " + PostStatus.text(status, at));
    }
  }

  /** Handles a completion, or waits for one a moment; {@return whether the connection goes on} */
  protected boolean progress() {
    if (cq != null && (poll(cq) || cq.requestNotify(NotifyFlags.NEXT_COMP) >= 0 && poll(cq))) {
      return true;
    }
    if (end != null) {
      return false;
    }
    idle();
    return true;
  }

  /** Waits a moment for a callback. */
  protected void idle() {
    program.goOn();
    try {
      wakeUp.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw program.interrupted();
    }
  }

  private boolean poll(CompletionQueue queue) {
    if (queue.poll(one, 1) != 1) {
      return false;
    }
    WorkCompletion wc = one[0];
    if (wc.status() == WcStatus.WR_FLUSH_ERR) {
      return true; // the end of the connection follows
    }
    if (wc.status() != WcStatus.SUCCESS) {
      throw new CommandException("cq completion failed status " + wc.status().value());
    }
    completed(wc);
    return true;
  }
}
