package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.internal.hotplug.Activity.Kind;
import ib.core.internal.hotplug.Calls.Result;
import ib.core.internal.hotplug.DeviceEntry.State;
import ib.core.serial.Waits;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operations on one device, as the registry asks for them. */
final class Devices {
  private final Book book;
  private final Calls calls;
  private final Bindings bindings;
  private final Teardown teardown;
  private int lastIndex = -1; // guarded by the book

  Devices(Book book, Calls calls, Bindings bindings, Teardown teardown) {
    this.book = book;
    this.calls = calls;
    this.bindings = bindings;
    this.teardown = teardown;
  }

  /** Takes name and GUID; guarded by the book. */
  DeviceEntry announce(
      DeviceHooks hooks, DeviceInfo info, Object driver, @Nullable DeviceEntry parent) {
    if (book.closed) {
      throw new IbNoDeviceException("register " + info.name(), "the midlayer is stopping", "");
    }
    if (parent != null && (!parent.usable() || !book.devices.contains(parent))) {
      throw new IbNoDeviceException(
          "register " + info.name(), "its parent " + parent + " is not there", "");
    }
    Book.checkName("register " + info.name(), info.name());
    checkFree("register " + info.name(), info.name(), null);
    for (DeviceEntry d : book.devices) {
      if (d.info().nodeGuid() == info.nodeGuid()) {
        throw new IbExistsException(
            "register " + info.name(),
            "node GUID " + Long.toHexString(info.nodeGuid()) + " is that of " + d,
            "another GUID");
      }
    }
    DeviceEntry entry = new DeviceEntry(book, hooks, indexed(info, ++lastIndex), driver, parent);
    book.devices.add(entry);
    if (parent != null) {
      parent.children.add(entry);
    }
    return entry;
  }

  /** Refuses a name that is in use or about to be; guarded by the book. */
  void checkFree(String what, String name, @Nullable DeviceEntry except) {
    for (DeviceEntry d : book.devices) {
      if (d != except && (d.name().equals(name) || Objects.equals(d.newName, name))) {
        throw new IbExistsException(what, "there is a device " + name + " already", "another name");
      }
    }
  }

  private static DeviceInfo indexed(DeviceInfo i, int index) {
    return new DeviceInfo(
        i.name(), index, i.nodeType(), i.nodeGuid(), i.sysImageGuid(), i.portCount(), i.driver());
  }

  private static DeviceInfo named(DeviceInfo i, String name) {
    return new DeviceInfo(
        name, i.index(), i.nodeType(), i.nodeGuid(), i.sysImageGuid(), i.portCount(), i.driver());
  }

  // ---- operations ----

  Op op(Op.Kind kind, DeviceEntry d, Consumer<Tenure> body) {
    return new Op(kind, d, book.now(), Waits.Rank.QUEUED, body);
  }

  /** Tries the device before any client sees it (S27, CC-14), and opens its event gate (B12). */
  Op probe(DeviceEntry d) {
    Op[] op = new Op[1];
    op[0] =
        op(
            Op.Kind.PROBE,
            d,
            t -> {
              RuntimeException failure = probeNow(t, d);
              book.update(() -> op[0].failure = !book.rules.mayGoOn(t) ? op[0].failure : failure);
            });
    return op[0];
  }

  private @Nullable RuntimeException probeNow(Tenure t, DeviceEntry d) {
    State before =
        book.compute(
            () -> {
              State was = d.stopping ? State.GONE : d.state;
              d.state = was == State.NEW ? State.PROBING : d.state;
              return was;
            });
    if (before != State.NEW) {
      book.update(() -> unlist(t, d));
      return new IbNoDeviceException(
          "register " + d,
          before == State.PROBING ? "its probe did not return" : "it goes again",
          "");
    }
    d.hooks.identify(d.info());
    book.update(() -> d.gateOpen = true);
    Result<Object> probed =
        calls.run(
            t,
            Kind.PROBE,
            null,
            () -> {
              d.hooks.probe();
              d.hooks.events().open();
              return null;
            });
    if (probed.error() == null) {
      book.update(() -> d.state = !book.rules.mayGoOn(t) ? d.state : State.PROBED);
      return null;
    }
    book.update(() -> d.goneCalled = true);
    Result<List<LeakRecord>> undone =
        calls.run(
            t,
            Kind.GONE,
            null,
            () -> {
              d.hooks.events().close();
              return d.hooks.gone();
            });
    if (undone.error() != null) {
      book.observer.failed("disconnect of " + d, undone.error());
    }
    bindings.report(d, undone.value());
    book.update(() -> unlist(t, d));
    if (probed.error() instanceof RuntimeException e) {
      return e;
    }
    String why = "probe: " + probed.error();
    return IbInvalidException.of("register " + d, why, "mend the driver", probed.error());
  }

  private void unlist(Tenure t, DeviceEntry d) {
    if (book.rules.mayGoOn(t) && !d.stopping) {
      d.state = State.GONE;
      book.remove(d);
    }
  }

  /** Adds all clients in order (S31, S39). */
  Op enable(DeviceEntry d) {
    return op(
        Op.Kind.ATTACH,
        d,
        t -> {
          book.update(() -> startEnabling(d));
          bindings.attachPending(t, d);
        });
  }

  private static void startEnabling(DeviceEntry d) {
    if (d.state == State.PROBED && !d.stopping) {
      boolean parentDown = d.parent != null && d.parent.state == State.RESETTING;
      d.state = parentDown ? State.RESETTING : State.ENABLING; // its parent resumes it
    }
  }

  Op attach(DeviceEntry d) {
    return op(Op.Kind.ATTACH, d, t -> bindings.attachPending(t, d));
  }

  Op detach(DeviceEntry d, ClientEntry c) {
    return op(Op.Kind.DETACH, d, t -> bindings.detach(t, d, c));
  }

  /** Considers a client again that was rejected or not interested (CC-5). */
  Op rebind(DeviceEntry d, ClientEntry c) {
    return op(
        Op.Kind.REBIND,
        d,
        t -> {
          bindings.sweepBroken(t, d);
          book.update(
              () -> {
                Binding b = d.bindings.get(c);
                if (b != null && book.rules.mayGoOn(t) && reconsiderable(b)) {
                  d.bindings.remove(c);
                }
              });
          bindings.attachPending(t, d);
        });
  }

  /** Whether a rebind makes sense; guarded by the book. */
  static boolean reconsiderable(Binding b) {
    return switch (b.state) {
      case NONE, REJECTED -> true;
      case BROKEN -> !b.client.broken.contains(b); // it has come back
      case ADDING, LIVE, REMOVING -> false;
    };
  }

  Op shutdown(DeviceEntry d, Waits.Rank rank) {
    return new Op(Op.Kind.SHUTDOWN, d, book.now(), rank, t -> teardown.shutdown(t, d));
  }

  Op reset(DeviceEntry d, Runnable action) {
    Teardown.ResetWork work = new Teardown.ResetWork(action);
    return op(Op.Kind.RESET, d, t -> teardown.reset(t, d, work));
  }

  /** Gives the device the name that was taken for it, and tells the clients in order (CC-15). */
  Op rename(DeviceEntry d, String newName) {
    String[] oldName = new String[1];
    Iterator<?>[] told = new Iterator<?>[1];
    return op(
        Op.Kind.RENAME,
        d,
        t -> {
          if (told[0] == null) {
            told[0] = beginRename(d, newName, oldName).iterator();
          }
          bindings.sweepBroken(t, d);
          String old = oldName[0];
          while (old != null && told[0].hasNext() && book.compute(() -> book.rules.mayGoOn(t))) {
            bindings.renamed(t, (Binding) told[0].next(), old);
          }
        });
  }

  private List<Binding> beginRename(DeviceEntry d, String newName, @Nullable String[] oldName) {
    DeviceInfo info =
        book.find(
            () -> {
              d.newName = null;
              if (d.state == State.GONE) {
                return null;
              }
              oldName[0] = d.name();
              d.info(named(d.info(), newName));
              book.freed();
              return d.info();
            });
    if (info == null) {
      return List.of();
    }
    d.hooks.identify(info);
    return book.compute(() -> List.copyOf(d.live));
  }
}
