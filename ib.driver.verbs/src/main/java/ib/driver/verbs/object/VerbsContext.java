package ib.driver.verbs.object;

import ib.core.verbs.IbException;
import ib.core.verbs.QpType;
import ib.core.verbs.WrOpcode;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Function;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Libibverbs;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * An opened device of the host ({@code ibv_context}). The functions of its provider stand in it and
 * are read once (V4). {@link #close} comes last, when all objects of the context are destroyed.
 */
public final class VerbsContext {
  private static final long DEVICE_BYTES = Layout.size("ibv_device");
  private static final long DEVICE_NAME = Layout.at("ibv_device", "name");
  private static final int NAME_BYTES = 64;
  private static final long CONTEXT_BYTES = Layout.size("ibv_context");
  private static final long OPS = Layout.at("ibv_context", "ops");
  private static final long ASYNC_FD = Layout.at("ibv_context", "async_fd", 4);
  private static final long VECTORS = Layout.at("ibv_context", "num_comp_vectors", 4);
  private static final int MAX_DEVICES = 4096;

  final Libibverbs library;
  private final String name;

  /** The name in the kernel. */
  final String kernelName;

  final long address;
  private final MemorySegment context;
  final Function postSend;
  final Function postReceive;
  final Function postSharedReceive;
  final Function pollCq;
  final Function requestNotify;
  final Function allocMw;
  final Function deallocMw;

  /**
   * The work queues whose completions may arrive, by the upper half of the ID of their requests.
   */
  final Table<WorkQueue> queues = new Table<>();

  /** The objects that events of the kernel may be about, by their context in C. */
  final Table<EventTarget> targets = new Table<>();

  /** The memory regions by their local keys. */
  final Regions regions = new Regions();

  private final List<Channel> channels = new ArrayList<>();
  private final Consumer<String> log;
  private volatile Abilities abilities = Abilities.NONE;

  /** An object that events are about. */
  interface EventTarget {
    /**
     * Handles an event.
     *
     * @param type number of the event in C
     */
    void event(int type);
  }

  /** Abilities of the device, as far as the driver's objects need it. */
  record Abilities(int maxCqe, int maxQpWr, boolean atomics, boolean windows, boolean invalidates) {
    static final Abilities NONE = new Abilities(0, 0, false, false, false);
  }

  private VerbsContext(
      Libibverbs library, String name, String kernelName, long address, Consumer<String> log) {
    this.library = library;
    this.name = name;
    this.kernelName = kernelName;
    this.address = address;
    this.context = Frame.at(address, CONTEXT_BYTES);
    this.log = log;
    postSend = operation("post_send");
    postReceive = operation("post_recv");
    postSharedReceive = operation("post_srq_recv");
    pollCq = operation("poll_cq");
    requestNotify = operation("req_notify_cq");
    allocMw = operation("alloc_mw");
    deallocMw = operation("dealloc_mw");
  }

  private Function operation(String field) {
    long offset = OPS + Layout.at("ibv_context_ops", field, Long.BYTES);
    long function = context.get(ValueLayout.JAVA_LONG, offset);
    return new Function("ibv_" + field, MemorySegment.ofAddress(function));
  }

  /**
   * Lists the devices that libibverbs has a provider for.
   *
   * @param library the library
   * @return the kernel's names
   */
  public static List<String> names(Libibverbs library) {
    List<String> names = new ArrayList<>();
    try (Frame frame = new Frame()) {
      MemorySegment count = frame.zeros(Long.BYTES);
      long list = frame.call(library.listDevices, count.address());
      if (list == 0) {
        throw Failures.of(library.libc(), frame.errno(), "ibv_get_device_list");
      }
      for (long device : devices(list, count)) {
        names.add(nameOf(device));
      }
      frame.call(library.freeDevices, list);
    }
    return names;
  }

  private static long[] devices(long list, MemorySegment count) {
    int n = Math.min(count.get(ValueLayout.JAVA_INT, 0), MAX_DEVICES);
    return n <= 0
        ? new long[0]
        : Frame.at(list, (long) n * Long.BYTES).toArray(ValueLayout.JAVA_LONG);
  }

  private static String nameOf(long device) {
    return device == 0 ? "" : Frame.text(Frame.at(device, DEVICE_BYTES), DEVICE_NAME, NAME_BYTES);
  }

  /**
   * Opens a device.
   *
   * @param library the library
   * @param name name of the device in ib, for errors
   * @param kernelName its name in the kernel
   * @param log takes what the kernel refuses to destroy
   * @param denied makes the exception when the kernel refuses, from the error number
   * @return the context
   * @throws IbException when libibverbs does not list the device or cannot open it
   */
  public static VerbsContext open(
      Libibverbs library,
      String name,
      String kernelName,
      Consumer<String> log,
      IntFunction<IbException> denied) {
    try (Frame frame = new Frame()) {
      MemorySegment count = frame.zeros(Long.BYTES);
      long list = frame.call(library.listDevices, count.address());
      if (list == 0) {
        throw denied.apply(frame.errno());
      }
      try {
        for (long device : devices(list, count)) {
          if (nameOf(device).equals(kernelName)) {
            long context = frame.call(library.openDevice, device);
            if (context == 0) {
              throw denied.apply(frame.errno());
            }
            return new VerbsContext(library, name, kernelName, context, log);
          }
        }
      } finally {
        frame.call(library.freeDevices, list);
      }
    }
    throw denied.apply(Libc.ENODEV);
  }

  int asyncFd() {
    return context.get(ValueLayout.JAVA_INT, ASYNC_FD);
  }

  int vectors() {
    return Math.max(1, context.get(ValueLayout.JAVA_INT, VECTORS));
  }

  /** {@return the exception of a call for this device} */
  IbException failure(int errno, String method) {
    return Failures.of(library.libc(), errno, name + "." + method);
  }

  /**
   * Calls a function that returns 0 or an error number.
   *
   * @throws IbException for an error number
   */
  void check(Frame frame, String method, Function function, long... words) {
    int errno = frame.check(function, words);
    if (errno != 0) {
      throw failure(errno, method);
    }
  }

  /**
   * Calls a function that returns the address of a new object.
   *
   * @throws IbException when it returns none
   */
  long make(Frame frame, String method, Function function, long... words) {
    long made = frame.call(function, words);
    if (made == 0) {
      throw failure(frame.errno(), method);
    }
    return made;
  }

  /** Tells of an object that the kernel did not destroy (V9). */
  void destroyed(String kind, int errno) {
    String kept = Failures.kept(library.libc(), errno, name, kind);
    if (kept != null) {
      log.accept(kept);
    }
  }

  /** Tells of something that the device should not do. */
  void log(String text) {
    log.accept(name + ": " + text);
  }

  void abilities(Abilities found) {
    abilities = found;
  }

  int maxCqe() {
    return abilities.maxCqe;
  }

  int maxQpWr() {
    return abilities.maxQpWr;
  }

  /** {@return the send opcodes of a type of queue pair, as bits of their values (IBA table 77)} */
  int opcodes(QpType type) {
    int opcodes = bit(WrOpcode.SEND) | bit(WrOpcode.SEND_WITH_IMM);
    if (type == QpType.RC || type == QpType.UC) {
      opcodes |= bit(WrOpcode.RDMA_WRITE) | bit(WrOpcode.RDMA_WRITE_WITH_IMM);
      opcodes |= abilities.windows ? bit(WrOpcode.BIND_MW) : 0;
      opcodes |= abilities.invalidates ? bit(WrOpcode.LOCAL_INV) : 0;
    }
    if (type == QpType.RC) {
      opcodes |= bit(WrOpcode.RDMA_READ);
      opcodes |= abilities.invalidates ? bit(WrOpcode.SEND_WITH_INV) : 0;
      opcodes |=
          abilities.atomics
              ? bit(WrOpcode.ATOMIC_CMP_AND_SWP) | bit(WrOpcode.ATOMIC_FETCH_AND_ADD)
              : 0;
    }
    return opcodes;
  }

  private static int bit(WrOpcode opcode) {
    return 1 << opcode.value();
  }

  /** {@return an exception for a table of the driver that has no free place} */
  IbException full(String method) {
    return new ib.core.verbs.IbNoMemoryException(
        name + "." + method, "the driver's table of objects is full", "close objects");
  }

  /** {@return the channel of a completion vector, which is made when it is first asked for} */
  synchronized Channel channel(int vector) {
    for (Channel channel : channels) {
      if (channel.vector == vector) {
        return channel;
      }
    }
    Channel made = Channel.open(new ChannelCalls(this, name), vector);
    channels.add(made);
    return made;
  }

  /**
   * Ends the threads of the channels and closes the device.
   *
   * @return 0, or the error number with which the kernel refuses because an object is left
   */
  public int close() {
    List<Channel> all;
    synchronized (this) {
      all = List.copyOf(channels);
      channels.clear();
    }
    all.forEach(Channel::close);
    try (Frame frame = new Frame()) {
      return frame.check(library.closeDevice, address);
    }
  }
}
