package samples.nvmet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A controller: what one host has made by connecting an admin queue. It lives as long as that
 * connection, and its I/O queues end with it. Any thread may call, but for the asynchronous events.
 */
final class Controller {
  // properties (NVM Express Base, "Controller Properties")
  private static final int CAP = 0x00;
  private static final int VS = 0x08;
  private static final int CC = 0x14;
  private static final int CSTS = 0x1c;
  private static final int VERSION_1_4 = 0x1_04_00;

  private static final int ENABLE = 1;
  private static final int CC_CHECKED = 0x0fff_fff0 & ~0xc000; // all but EN and SHN
  private static final int CC_QUEUE_ENTRIES = 0x0046_0000; // IOCQES 2^4, IOSQES 2^6
  private static final int SHUTDOWN = 0xc000;
  private static final int READY = 1;
  private static final int FATAL = 2;
  private static final int SHUTDOWN_COMPLETE = 2 << 2;
  private static final int MAX_EVENTS = 4; // AERL 3, 0's based
  private static final long GRANULE_NS = TimeUnit.SECONDS.toNanos(1); // KAS

  private final int id;
  private final Link admin;
  private final Host host;
  private final String nqn;
  private final Deque<Task> events = new ArrayDeque<>(); // of the admin queue's thread

  private volatile long heardNs;
  private volatile long katoMs;
  private volatile int csts;
  private volatile int eventsWanted;

  // guarded by this
  private final List<Link> queues = new ArrayList<>();
  private int cc;
  private boolean ended;

  Controller(int id, Link admin, Host host, String nqn, long katoMs) {
    this.id = id;
    this.admin = admin;
    this.host = host;
    this.nqn = nqn;
    this.katoMs = katoMs;
    this.heardNs = admin.target().nowNs();
  }

  int id() {
    return id;
  }

  Link admin() {
    return admin;
  }

  String nqn() {
    return nqn;
  }

  boolean isDiscovery() {
    return nqn.equals(Subsystem.DISCOVERY);
  }

  boolean isOf(Host other, String subsystem) {
    return host.isSameAs(other) && nqn.equals(subsystem);
  }

  // ---- keep alive ----

  /** The host has sent a command, which counts as a sign of life (TBKAS). */
  void heard(long nowNs) {
    heardNs = nowNs;
  }

  /** {@return whether the host has been silent for longer than it said} */
  boolean isSilent(long nowNs) {
    long kato = katoMs;
    return kato != 0 && nowNs - heardNs > TimeUnit.MILLISECONDS.toNanos(kato) + GRANULE_NS;
  }

  long katoMs() {
    return katoMs;
  }

  void katoMs(long value) {
    katoMs = value;
  }

  // ---- properties ----

  boolean isReady() {
    return (csts & (READY | FATAL)) == READY;
  }

  synchronized boolean isEnabled() {
    return (cc & ENABLE) != 0;
  }

  boolean hasProperty(int offset, int bytes) {
    return switch (offset) {
      case CAP -> bytes == 8;
      case VS, CC, CSTS -> bytes == 4;
      default -> false;
    };
  }

  synchronized long property(int offset) {
    int depth = isDiscovery() ? Limits.ADMIN_DEPTH : admin.target().limits().depth();
    long most = depth - 1L; // MQES, 0's based
    return switch (offset) {
      case CAP -> most | 1L << 16 | 10L << 24 | 1L << 37; // CQR, TO 5 s, CSS: NVM commands
      case VS -> VERSION_1_4;
      case CC -> Integer.toUnsignedLong(cc);
      case CSTS -> csts;
      default -> throw new IllegalArgumentException("property " + offset);
    };
  }

  synchronized Status setProperty(int offset, int bytes, long value) {
    if (offset != CC || bytes != 4) {
      return Status.INVALID_FIELD;
    }
    int before = cc;
    cc = (int) value;
    if ((cc & ENABLE) == 0) {
      csts = 0;
    } else if ((before & ENABLE) == 0) {
      boolean entries = isDiscovery() || (cc & CC_CHECKED) == CC_QUEUE_ENTRIES;
      csts = entries ? READY : FATAL;
    }
    if ((cc & SHUTDOWN) != 0) {
      csts |= SHUTDOWN_COMPLETE; // there is nothing to put away
    } else {
      csts &= ~SHUTDOWN_COMPLETE;
    }
    return Status.SUCCESS;
  }

  // ---- asynchronous events ----

  /** {@return which events the host wants to hear of, as it has said} */
  int events() {
    return eventsWanted;
  }

  void events(int wanted) {
    eventsWanted = wanted;
  }

  /** Keeps a request for an event, of which there is none yet: it is not answered. */
  void awaitEvent(Task task) {
    if (events.size() == MAX_EVENTS) {
      task.respond(Status.ASYNC_EVENT_LIMIT);
    } else {
      events.add(task);
    }
  }

  /** Forgets the requests for events: a reset ends them without an answer. */
  void forgetEvents() {
    List<Task> all = List.copyOf(events);
    events.clear();
    all.forEach(Task::forget);
  }

  // ---- queues ----

  /** Takes an I/O queue; {@return false when it has one of this number, or has ended} */
  synchronized boolean attach(Link queue) {
    int qid = queue.greeting().qid();
    boolean free = queues.stream().noneMatch(q -> q.greeting().qid() == qid);
    return free && !ended && isReady() && queues.add(queue);
  }

  synchronized void detach(Link queue) {
    queues.remove(queue);
  }

  /** Ends the connections of its queues. */
  void end() {
    List<Link> all;
    synchronized (this) {
      ended = true;
      all = new ArrayList<>(queues);
    }
    all.forEach(Link::disconnect);
    admin.disconnect();
  }

  @Override
  public synchronized String toString() {
    String is = isReady() ? "ready" : "not ready";
    return "controller " + id + " of " + host.nqn() + ": " + is + ", " + queues.size() + " queues";
  }
}
