package ib.ulp.ipoib;

import ib.core.client.IbClient;
import ib.core.sa.SaClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.wire.Groups;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client: an interface for each InfiniBand port of each device, and children of other
 * partitions (I1, I11).
 */
public final class Ipoib implements IbClient {
  /** What of one device is to go when it goes; guarded by itself. */
  private static final class Adapter {
    final IbDevice device;
    final List<NetDevice> interfaces = new ArrayList<>();
    boolean removed;

    Adapter(IbDevice device) {
      this.device = device;
    }
  }

  private final Logger log = LoggerFactory.getLogger(Ipoib.class);
  private final LinkConfig config;
  private final List<Integer> children;
  private final BiFunction<IbDevice, Integer, SaClient> subnet;
  private final Backend.Factory backends;
  private final List<Adapter> adapters = new CopyOnWriteArrayList<>();
  private final BitSet numbers = new BitSet(); // under itself

  /**
   * Makes a client.
   *
   * @param config of all interfaces
   * @param children P_Keys that every port gets a child interface for
   * @param subnet opens the subnet administration of a port, {@code SaClient::open}
   * @param backends makes the hosts
   */
  public Ipoib(
      LinkConfig config,
      List<Integer> children,
      BiFunction<IbDevice, Integer, SaClient> subnet,
      Backend.Factory backends) {
    this.config = config;
    this.children = List.copyOf(children);
    this.subnet = subnet;
    this.backends = backends;
  }

  @Override
  public String name() {
    return "ipoib";
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    Adapter adapter = new Adapter(device);
    boolean whole = false;
    try {
      for (int port = 1; port <= device.portCount(); port++) {
        if (device.port(port).linkLayer() == LinkLayer.INFINIBAND) {
          NetDevice parent = open(adapter, "ib" + number(), port, config);
          for (int pkey : children) {
            openChild(adapter, parent, pkey);
          }
        }
      }
      adapters.add(adapter);
      whole = true;
      return adapter;
    } finally {
      if (!whole) {
        close(adapter);
      }
    }
  }

  private int number() {
    synchronized (numbers) {
      int number = numbers.nextClearBit(0);
      numbers.set(number);
      return number;
    }
  }

  private NetDevice open(Adapter adapter, String name, int port, LinkConfig how) {
    try {
      NetDevice made =
          NetDevice.open(name, adapter.device, port, how, d -> subnet.apply(d, port), backends);
      adapter.interfaces.add(made);
      return made;
    } catch (IOException e) {
      throw new IpoibException(name, e);
    }
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof Adapter adapter) {
      adapters.remove(adapter);
      close(adapter);
    }
  }

  /** Children first, then parents (1.5). */
  private void close(Adapter adapter) {
    synchronized (adapter) {
      adapter.removed = true;
      for (NetDevice each : adapter.interfaces.reversed()) {
        try {
          each.close();
        } catch (IbException e) {
          log.error("interface {}: {}", each.name(), e.getMessage()); // the others go all the same
        }
        if (!each.name().contains(".")) {
          synchronized (numbers) {
            numbers.clear(Integer.parseInt(each.name().substring(2)));
          }
        }
      }
      adapter.interfaces.clear();
    }
  }

  /** {@return all interfaces, parents before their children} */
  public List<NetDevice> interfaces() {
    List<NetDevice> all = new ArrayList<>();
    for (Adapter adapter : adapters) {
      synchronized (adapter) {
        all.addAll(adapter.interfaces);
      }
    }
    return all;
  }

  /**
   * Makes a child interface of another partition; it is down until its P_Key is in the table of the
   * port (I11).
   *
   * @param parent name of an interface without a dot
   * @param pkey 15 or 16 bits, the membership bit is added
   * @return the child, for example {@code ib0.8001}
   * @throws IbInvalidException for P_Key 0 and the parent's own, or when there is no such parent
   * @throws IbExistsException when there is such a child
   */
  public NetDevice createChild(String parent, int pkey) {
    for (Adapter adapter : adapters) {
      synchronized (adapter) {
        for (NetDevice each : adapter.interfaces) {
          if (each.name().equals(parent) && !adapter.removed) {
            return openChild(adapter, each, pkey);
          }
        }
      }
    }
    throw new IbInvalidException("create_child", "no interface " + parent, "ib:netif");
  }

  private NetDevice openChild(Adapter adapter, NetDevice parent, int pkey) {
    int full = (pkey | 0x8000) & 0xffff; // I11: 1 and 0x8001 are one partition
    boolean own = full == Groups.pkey(parent.state().broadcast());
    if (full == 0x8000 || own || parent.name().contains(".")) {
      throw new IbInvalidException(
          "create_child of " + parent.name(),
          String.format("P_Key 0x%04x", pkey),
          "0x0001 to 0x7fff, of an interface that is no child itself");
    }
    String name = String.format("%s.%04x", parent.name(), full);
    for (NetDevice each : adapter.interfaces) {
      if (each.name().equals(name)) {
        throw new IbExistsException("create_child", name + " is there", "");
      }
    }
    return open(adapter, name, parent.port(), parent.config().withPkey(full));
  }

  /**
   * Takes a child interface away.
   *
   * @param name its name
   * @throws IbInvalidException when there is no such child
   */
  public void deleteChild(String name) {
    for (Adapter adapter : adapters) {
      synchronized (adapter) {
        for (NetDevice each : adapter.interfaces) {
          if (each.name().equals(name) && name.contains(".")) {
            adapter.interfaces.remove(each);
            each.close();
            return;
          }
        }
      }
    }
    throw new IbInvalidException("delete_child", "no child " + name, "ib:netif");
  }
}
