package samples.kv.client;

import ib.core.verbs.*;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import samples.kv.api.Bucket;
import samples.kv.api.KeyValueServer;
import samples.kv.api.StoreException;
import samples.kv.api.StoreException.Reason;

/**
 * The client's end of a connection, one request at a time: who asks has the lock of this object.
 * {@link #close} does not need it, so it also ends a request that waits.
 */
final class Link {
  private static final int MAX_READS = 100;
  private static final long ANSWER_SECONDS = 30; // far longer than all retries of the queue pair
  private static final int READ_BYTES = Bucket.PROBES * Bucket.BYTES;
  private static final int MESSAGE = READ_BYTES; // behind what is read
  private static final int BYTES = MESSAGE + Bucket.BYTES;

  private final Deque<IbObject> made = new ArrayDeque<>(); // the newest first
  // Not the region's own memory: who asks may still touch it when another thread has closed.
  private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 64);
  private MemoryRegion region;
  private QueuePair qp;
  private KeyValueServer.Connection server;
  private volatile List<CompletableFuture<Integer>> pending = List.of(); // set before posting

  /** Connects. What was made before an exception, {@link #close} closes. */
  void connect(IbDevice device, KeyValueServer to) {
    ProtectionDomain pd = made(device.allocPd());
    region = made(pd.registerMemory(memory, Access.LOCAL_WRITE));
    CqInit init = CqInit.managed(4, 0, PollContext.EVENT_LOOP);
    CompletionQueue cq = made(device.createCq(init));
    qp = made(pd.createQp(new QpInit(QpType.RC, cq, new QpCap(2, 2, 1, 1, 0))));
    server = to.connect(qp);
  }

  private <T extends IbObject> T made(T object) {
    made.push(object);
    return object;
  }

  /** Reads the buckets of a key until it is clear what is in them. */
  synchronized Optional<byte[]> get(byte[] key) {
    long from = server.address() + (long) Bucket.first(key, server.buckets()) * Bucket.BYTES;
    for (int reads = 0; reads < MAX_READS; reads++) {
      CompletableFuture<Integer> read = new CompletableFuture<>();
      pending = List.of(read);
      check(
          qp.wrStart()
              .wrCqe(completing(read))
              .wrFlags(SendFlags.SIGNALED)
              .wrRdmaRead(server.rkey(), from)
              .wrSetSge(region.lkey(), region.iova(), READ_BYTES)
              .wrComplete());
      await(read);
      boolean torn = false;
      for (int i = 0; i < Bucket.PROBES; i++) {
        Bucket bucket = Bucket.of(memory, i);
        if (bucket.isFree()) {
          continue;
        }
        if (!bucket.isWhole()) {
          torn = true; // the server was writing it: it may be the one
        } else if (bucket.holds(key)) {
          return Optional.of(bucket.value());
        }
      }
      if (!torn) {
        return Optional.empty();
      }
    }
    throw new StoreException(
        Reason.BUSY, "the buckets of the key were half written at each of " + MAX_READS + " reads");
  }

  /** Sends a bucket, and returns the server's answer. */
  synchronized int send(int operation, byte[] key, byte[] value) {
    new Bucket(memory.asSlice(MESSAGE, Bucket.BYTES)).write(key, value);
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    pending = List.of(sent, answer);
    // The place for the answer is there before the server can answer; the answer has no bytes.
    check(qp.postReceive(completing(answer), region.lkey(), region.iova(), 1));
    check(
        qp.wrStart()
            .wrCqe(completing(sent))
            .wrFlags(SendFlags.SIGNALED)
            .wrSendImm(operation)
            .wrSetSge(region.lkey(), region.iova() + MESSAGE, Bucket.BYTES)
            .wrComplete());
    await(sent);
    return await(answer);
  }

  /** Closes both ends; a request that waits fails. Not twice, and not while it connects. */
  void close() {
    if (server != null) {
      server.close();
    }
    made.forEach(IbObject::close);
    pending.forEach(p -> p.completeExceptionally(new IllegalStateException("it was closed")));
  }

  private static Cqe completing(CompletableFuture<Integer> future) {
    return (cq, wc) -> {
      if (wc.status() == WcStatus.SUCCESS) {
        future.complete(wc.immData());
      } else {
        future.completeExceptionally(new IllegalStateException("it ended with " + wc.status()));
      }
    };
  }

  private static void check(int status) {
    if (status != PostStatus.OK) {
      throw new StoreException(Reason.GONE, PostStatus.text(status));
    }
  }

  private static int await(CompletableFuture<Integer> future) {
    try {
      return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Reason.GONE, "interrupted", e);
    } catch (ExecutionException e) {
      throw new StoreException(Reason.GONE, e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new StoreException(Reason.GONE, "no answer in " + ANSWER_SECONDS + " s", e);
    }
  }
}
