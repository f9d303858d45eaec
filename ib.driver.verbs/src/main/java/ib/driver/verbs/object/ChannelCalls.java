package ib.driver.verbs.object;

import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.abi.Waiter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The calls about completion channels.
 *
 * @param context the opened device
 * @param device its name in ib
 */
record ChannelCalls(VerbsContext context, String device) implements Channel.Host {
  private static final String METHOD = "createCompChannel";

  @Override
  public long make() {
    try (Frame frame = new Frame()) {
      return context.make(frame, METHOD, context.library.createChannel, context.address);
    }
  }

  @Override
  public void destroy(long channel) {
    try (Frame frame = new Frame()) {
      frame.call(context.library.destroyChannel, channel);
    }
  }

  @Override
  public void waitless(int fd) {
    if (!context.library.libc().nonBlocking(fd)) {
      throw context.failure(Libc.EINVAL, METHOD);
    }
  }

  @Override
  public Waiter waiter() {
    return new Waiter(context.library.libc());
  }

  @Override
  public void read(Frame frame, long channel) {
    Libibverbs library = context.library;
    MemorySegment cq = frame.zeros(Long.BYTES);
    MemorySegment number = frame.zeros(Long.BYTES);
    while ((int) frame.call(library.nextCqEvent, channel, cq.address(), number.address()) == 0) {
      event(frame, cq.get(ValueLayout.JAVA_LONG, 0), number.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  private void event(Frame frame, long address, long number) {
    if (context.targets.find((int) number) instanceof VerbsCq cq && cq.is(address)) {
      cq.fired(frame);
    }
  }
}
