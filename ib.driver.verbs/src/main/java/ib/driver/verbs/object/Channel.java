package ib.driver.verbs.object;

import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.abi.Waiter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A completion channel and the thread that reads its events (V5). An event names the completion
 * queue by the number that is its context in C. The thread hands the queue to the core and runs no
 * consumer code.
 */
final class Channel {
  private static final long BYTES = Layout.size("ibv_comp_channel");
  private static final long FD = Layout.at("ibv_comp_channel", "fd", 4);

  private final VerbsContext context;
  private final int vector;
  private final long address;
  private final int fd;
  private final Waiter waiter;
  private final Thread thread;
  private volatile boolean closing;

  private Channel(VerbsContext context, String device, int vector, long address) {
    this.context = context;
    this.vector = vector;
    this.address = address;
    this.fd = Frame.at(address, BYTES).get(ValueLayout.JAVA_INT, FD);
    this.waiter = new Waiter(context.library().libc());
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("ib-" + device + "-completions-" + vector)
            .unstarted(this::run);
  }

  static Channel open(VerbsContext context, String device, int vector) {
    Libibverbs library = context.library();
    try (Frame frame = new Frame()) {
      long address =
          context.make(frame, "createCompChannel", library.createChannel, context.address());
      Channel channel = new Channel(context, device, vector, address);
      if (!library.libc().nonBlocking(channel.fd)) {
        throw context.failure(ib.driver.verbs.abi.Libc.EINVAL, "createCompChannel");
      }
      channel.thread.start();
      return channel;
    }
  }

  int vector() {
    return vector;
  }

  long address() {
    return address;
  }

  private void run() {
    Libibverbs library = context.library();
    while (!closing) {
      try (Frame frame = new Frame()) {
        if (waiter.await(frame, fd, -1)) {
          MemorySegment cq = frame.zeros(Long.BYTES);
          MemorySegment number = frame.zeros(Long.BYTES);
          while ((int) frame.call(library.nextCqEvent, address, cq.address(), number.address())
              == 0) {
            event(frame, cq.get(ValueLayout.JAVA_LONG, 0), number.get(ValueLayout.JAVA_LONG, 0));
          }
        }
      }
    }
  }

  private void event(Frame frame, long address, long number) {
    if (context.targets.find((int) number) instanceof VerbsCq cq && cq.is(address)) {
      cq.fired(frame);
    }
  }

  void close() {
    closing = true;
    waiter.ring();
    Threads.join(thread);
    waiter.close();
    try (Frame frame = new Frame()) {
      frame.call(context.library().destroyChannel, address);
    }
  }
}
