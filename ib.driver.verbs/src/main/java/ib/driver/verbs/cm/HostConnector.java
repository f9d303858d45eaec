package ib.driver.verbs.cm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.cm.Connector;
import ib.core.cm.ConnectorAnswer;
import ib.core.cm.ConnectorArrival;
import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorInquiry;
import ib.core.cm.ConnectorLink;
import ib.core.cm.ConnectorListener;
import ib.core.cm.ConnectorPending;
import ib.core.cm.ConnectorQuestion;
import ib.core.cm.ConnectorSpace;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Waiter;
import ib.driver.verbs.object.Failures;
import ib.driver.verbs.object.Sysfs;
import ib.driver.verbs.object.Threads;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's connection manager for the queue pairs of one device. Its file is opened, and its
 * thread started, when the first connection is made or the first listener.
 */
public final class HostConnector implements Connector, AutoCloseable {
  private final Libc libc;
  private final Sysfs sysfs;
  private final Device device;
  private final Consumer<String> log;
  private final UcmHost host;
  private final AtomicLong failures = new AtomicLong();

  @GuardedBy("this")
  private @Nullable Opened opened;

  @GuardedBy("this")
  private boolean closed;

  /**
   * The device.
   *
   * @param name name in ib
   * @param kernelName name in the kernel
   * @param guid node GUID that the kernel has
   */
  public record Device(String name, String kernelName, long guid) {}

  /**
   * Creates the connector; nothing is opened yet.
   *
   * @param libc the C library
   * @param sysfs the kernel's files
   * @param device the device
   * @param log takes warnings
   */
  public HostConnector(Libc libc, Sysfs sysfs, Device device, Consumer<String> log) {
    this(libc, sysfs, device, log, new UcmHost(libc));
  }

  HostConnector(Libc libc, Sysfs sysfs, Device device, Consumer<String> log, UcmHost host) {
    this.libc = libc;
    this.sysfs = sysfs;
    this.device = device;
    this.log = log;
    this.host = host;
  }

  /** {@return how often the kernel's events could not be read any more} */
  public long failures() {
    return failures.get();
  }

  private synchronized Opened opened() {
    if (closed) {
      throw new IbDisassociatedException(
          device.name + ".rdma_cm", "the device was unplugged", "the device that comes back");
    }
    Opened o = opened;
    if (o == null) {
      o = open();
      opened = o;
    }
    return o;
  }

  private Opened open() {
    String path = sysfs.connectionManager().toString();
    try (Frame frame = new Frame()) {
      UcmFile file = host.file(frame, path);
      if (file == null) {
        throw host.refusal(device.name, path, frame.errno());
      }
      return start(file);
    }
  }

  private Opened start(UcmFile file) {
    Waiter waiter = null;
    boolean started = false;
    try {
      waiter = host.waiter();
      Opened made = new Opened(file, waiter);
      made.thread.start();
      started = true;
      return made;
    } finally {
      if (!started) {
        if (waiter != null) {
          waiter.close();
        }
        file.close();
      }
    }
  }

  @Override
  public ConnectorLink connect(ConnectorAttempt what, ConnectorEvents events) {
    return opened().links.connect(what, events);
  }

  @Override
  public ConnectorListener listen(
      ConnectorSpace space,
      InetSocketAddress at,
      int backlog,
      Function<ConnectorArrival, ConnectorEvents> arrivals) {
    Opened o = opened();
    return o.listen(space, at, backlog, uid -> o.links.enter(uid, arrivals));
  }

  @Override
  public ConnectorPending resolve(ConnectorInquiry what, ConnectorAnswer answer) {
    return opened().datagrams.resolve(what, answer);
  }

  @Override
  public ConnectorListener serve(
      InetSocketAddress at, int backlog, Consumer<ConnectorQuestion> questions) {
    Opened o = opened();
    return o.listen(ConnectorSpace.UDP, at, backlog, uid -> o.datagrams.enter(uid, questions));
  }

  /** Ends the thread and closes the file. */
  @Override
  public void close() {
    Opened old;
    synchronized (this) {
      closed = true;
      old = opened;
    }
    if (old != null) {
      old.close();
    }
  }

  /** The opened file, what was made by it, and the thread that reads its events. */
  final class Opened {
    private final UcmFile file;
    final UcmCommands commands;
    private final Waiter waiter;
    private final Thread thread;
    private final AtomicLong uids = new AtomicLong();
    final HostLinks links = new HostLinks(this);
    final HostDatagrams datagrams = new HostDatagrams(this);
    private volatile boolean closing;

    /** The error number with which the kernel's events have ended; 0 while they are read. */
    private volatile int ended;

    Opened(UcmFile file, Waiter waiter) {
      this.file = file;
      this.waiter = waiter;
      this.commands = new UcmCommands(libc, file, device.name);
      this.thread =
          Thread.ofPlatform()
              .daemon()
              .name("ib-" + device.name + "-connections")
              .unstarted(this::run);
    }

    void log(String text) {
      log.accept(text);
    }

    private void run() {
      UcmEvents events = new UcmEvents(this, device.guid);
      while (!closing) {
        try (Frame frame = new Frame()) {
          if (waiter.await(frame, file.fd, -1)) {
            int errno = read(frame, events);
            if (errno != Libc.EAGAIN && errno != Libc.EINTR) {
              fail(errno);
              return;
            }
          }
        }
      }
    }

    /** No event is heard any more: each connection ends, and new ones are refused. */
    private void fail(int errno) {
      failures.incrementAndGet();
      ended = errno; // before the look at the connections, which new ones follow by a look at this
      log.accept(noMoreEvents().getMessage());
      links.fail(errno);
      datagrams.fail(errno);
    }

    /** Tells one of many of its end. */
    void end(Object what, Runnable how) {
      try {
        how.run();
      } catch (Throwable e) { // the others hear it as well
        log.accept(what + ": its end was not understood: " + e);
      }
    }

    private IbException noMoreEvents() {
      return new IbException(
          Failures.of(libc, ended, device.name).errno(),
          "connections on " + device.name,
          "the kernel's connection manager tells no more events, errno " + ended,
          "ib:unplug and ib:plug of the device, or dmesg");
    }

    /**
     * Checks that events are heard.
     *
     * @throws IbException when they have ended
     */
    void check() {
      if (ended != 0) {
        throw noMoreEvents();
      }
    }

    /** Reads the events there are; {@return the error number of the read that found none} */
    private int read(Frame frame, UcmEvents events) {
      UcmFile.Request request = new UcmFile.Request(frame, UcmFile.Command.GET_EVENT);
      MemorySegment event = request.answer(UcmEvents.STRUCT);
      while (!closing) {
        event.fill((byte) 0);
        int errno = file.give(request);
        if (errno != 0) {
          return errno;
        }
        try {
          events.hear(event);
        } catch (Throwable e) { // the thread serves the others
          log.accept(device.name + ".rdma_cm: an event was not understood: " + e);
        }
      }
      return Libc.EAGAIN;
    }

    long uid() {
      return uids.incrementAndGet();
    }

    int scope(InetSocketAddress address) {
      return address.getAddress().isLinkLocalAddress() ? sysfs.interfaceOf(device.kernelName) : 0;
    }

    /**
     * Listens.
     *
     * @param enter enters what hears of the peers, by the number of the listener
     */
    ConnectorListener listen(
        ConnectorSpace space, InetSocketAddress at, int backlog, LongConsumer enter) {
      long uid = uid();
      int id = commands.create(space, uid);
      enter.accept(uid);
      boolean done = false;
      try {
        check();
        commands.bind(id, at, scope(at));
        commands.listen(id, backlog);
        done = true;
        return () -> unlisten(uid, id);
      } finally {
        if (!done) {
          unlisten(uid, id);
        }
      }
    }

    private void unlisten(long uid, int id) {
      if (links.remove(uid) || datagrams.remove(uid)) {
        commands.destroy(id);
      }
    }

    void close() {
      closing = true;
      waiter.ring();
      Threads.join(thread);
      waiter.close();
      file.close();
    }
  }
}
