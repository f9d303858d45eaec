package ib.ulp.ipoib;

import ib.cm.CmClient;
import ib.core.client.IbClient;
import ib.core.sa.SaClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.link.Shared;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.roce.RoceSubnet;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The IPoIB client of the core. It opens an interface for each InfiniBand port of each device, and
 * child interfaces for further partitions (I1, I11). Any thread may call; opening and closing an
 * interface block.
 */
public final class Ipoib implements IbClient {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,14}");
  private static final Pattern CHILD = Pattern.compile("(ib\\d+)\\.([0-9A-Fa-f]{1,4})");

  /**
   * How long the removal of a device waits for threads that add or delete a child interface of it.
   */
  private static final Duration CHANGE_WITHIN = Duration.ofSeconds(10);

  private final Logger log = LoggerFactory.getLogger(Ipoib.class);
  private final LinkConfig config;
  private final List<Integer> children;
  private final Map<String, String> reserved; // interface names by device and port
  private final BiFunction<IbDevice, Integer, SaClient> subnet;
  private final Backend.Factory backends;
  private final Shared shared;
  private final List<Adapter> adapters = new CopyOnWriteArrayList<>();
  private final Set<String> names = new HashSet<>(); // guarded by itself

  /**
   * Creates a client that numbers the interfaces in the order in which the ports appear.
   *
   * @param cm the connection manager; the client is registered after it
   * @param config configuration of all interfaces
   * @param children P_Keys; each port gets a child interface for each of them
   * @param subnet opens the SA client of a port, {@code SaClient::open}
   * @param backends opens the backend of each interface
   */
  public Ipoib(
      CmClient cm,
      LinkConfig config,
      List<Integer> children,
      BiFunction<IbDevice, Integer, SaClient> subnet,
      Backend.Factory backends) {
    this(cm, config, children, Map.of(), subnet, backends);
  }

  /**
   * Creates a client.
   *
   * @param cm the connection manager; the client is registered after it
   * @param config configuration of all interfaces
   * @param children P_Keys; each port gets a child interface for each of them
   * @param reserved interface names by device and port, for example {@code soft0/1}; no other port
   *     gets such a name
   * @param subnet opens the SA client of a port, {@code SaClient::open}
   * @param backends opens the backend of each interface
   */
  public Ipoib(
      CmClient cm,
      LinkConfig config,
      List<Integer> children,
      Map<String, String> reserved,
      BiFunction<IbDevice, Integer, SaClient> subnet,
      Backend.Factory backends) {
    this.config = config;
    this.children = List.copyOf(children);
    this.reserved = Map.copyOf(reserved);
    this.subnet = subnet;
    this.backends = backends;
    shared = new Shared(cm);
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
        if (config.roce() || device.port(port).linkLayer() == LinkLayer.INFINIBAND) {
          NetDevice parent = open(adapter, parentName(device, port), false, port, config);
          children.forEach(pkey -> configuredChild(adapter, parent, pkey));
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

  /** Opens a configured child; if the child is refused, logs why and leaves it out. */
  private void configuredChild(Adapter adapter, NetDevice parent, int pkey) {
    try {
      String name = claimChild(parent, pkey, null);
      open(adapter, name, true, parent.port, parent.config.withPkey(full(pkey)));
    } catch (IbInvalidException | IbExistsException e) {
      log.warn("children: {}", e.getMessage());
    }
  }

  /**
   * B1: returns the name reserved for the port, else the first {@code ibN} that is neither used nor
   * reserved.
   */
  private String parentName(IbDevice device, int port) {
    String own = reserved.get(device.name() + "/" + port);
    synchronized (names) {
      if (own != null && names.add(own)) {
        return own;
      }
      int number = 0;
      while (reserved.containsValue("ib" + number) || !names.add("ib" + number)) {
        number++;
      }
      return "ib" + number;
    }
  }

  private void free(String name) {
    synchronized (names) {
      names.remove(name);
    }
  }

  private SaClient subnet(IbDevice device, int port) {
    boolean roce = device.port(port).linkLayer() == LinkLayer.ETHERNET;
    return roce ? new RoceSubnet(device, port) : subnet.apply(device, port);
  }

  /**
   * Opens an interface whose name the caller has entered into {@link #names}; frees the name on
   * failure.
   */
  private NetDevice open(Adapter adapter, String name, boolean child, int port, LinkConfig how) {
    boolean made = false;
    try {
      NetDevice device =
          NetDevice.open(
              new NetDevice.Place(name, child, adapter.device, port),
              how,
              d -> subnet(d, port),
              shared,
              backends);
      if (!adapter.add(device)) {
        device.close();
        throw new IbInvalidException("interface " + name, "its device is gone", "another device");
      }
      made = true;
      return device;
    } catch (IOException e) {
      throw new IpoibException(name, e);
    } finally {
      if (!made) {
        free(name);
      }
    }
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof Adapter adapter) {
      adapters.remove(adapter);
      close(adapter);
    }
  }

  /**
   * Closes children, then parents (1.5). All together are given {@link NetDevice#END_WITHIN} to end
   * (1.6).
   */
  private void close(Adapter adapter) {
    if (!adapter.end(CHANGE_WITHIN)) {
      log.error(
          "interfaces of {} are still being added or deleted; the device is removed without waiting longer",
          adapter.device.name());
    }
    List<NetDevice> all = adapter.interfaces().reversed();
    all.forEach(each -> attempt(each, each::beginClose));
    long deadline = System.nanoTime() + NetDevice.END_WITHIN.toNanos();
    for (NetDevice each : all) {
      attempt(each, () -> each.endClose(deadline));
      adapter.remove(each);
      free(each.name());
    }
  }

  private void attempt(NetDevice which, Runnable part) {
    try {
      part.run();
    } catch (IbException e) {
      log.error(
          "interface {}: {}",
          which.name(),
          e.getMessage()); // the other interfaces are closed all the same
    }
  }

  /** {@return all interfaces, parents before their children} */
  public List<NetDevice> interfaces() {
    List<NetDevice> all = new ArrayList<>();
    adapters.forEach(adapter -> all.addAll(adapter.interfaces()));
    return all;
  }

  /**
   * Creates a child interface for another partition, otherwise configured as its parent. The child
   * is down until the port's P_Key table contains its P_Key (I11). Blocks until the interface is
   * open.
   *
   * @param parent name of an interface that is no child itself
   * @param pkey 15 or 16 bits; the membership bit is added
   * @return the child, for example {@code ib0.8001}
   * @throws IbInvalidException for P_Key 0, for the parent's own P_Key, or when there is no such
   *     parent
   * @throws IbExistsException when there is such a child already
   */
  public NetDevice createChild(String parent, int pkey) {
    return create(parent, pkey, null);
  }

  /**
   * As {@link #createChild(String, int)}, with a name that the caller chooses. Several children of
   * one parent may then share a partition, also the parent's, as with {@code ip link add link ib0
   * name NAME type ipoib pkey PKEY}.
   *
   * @param parent name of an interface that is no child itself
   * @param pkey 15 or 16 bits; the membership bit is added
   * @param name 1 to 15 letters, digits, dots, dashes and underscores, a letter first; not {@code
   *     ib} with a number
   * @return the child
   * @throws IbInvalidException for P_Key 0, for a name that breaks the rule above, or when there is
   *     no such parent
   * @throws IbExistsException when there is an interface of that name
   */
  public NetDevice createChild(String parent, int pkey, String name) {
    if (!NAME.matcher(name).matches() || name.matches("ib\\d+")) {
      throw new IbInvalidException(
          "create_child of " + parent, "name '" + name + "'", "a name such as pod1");
    }
    return create(parent, pkey, name);
  }

  private NetDevice create(String parent, int pkey, @Nullable String name) {
    for (Adapter adapter : adapters) {
      NetDevice above = adapter.enter(parent, false);
      if (above != null) {
        try {
          String claimed = claimChild(above, pkey, name);
          return open(adapter, claimed, true, above.port, above.config.withPkey(full(pkey)));
        } finally {
          adapter.leave();
        }
      }
    }
    throw new IbInvalidException("create_child", "no interface " + parent, "ib:netif");
  }

  /** I11: returns the P_Key with the membership bit; 1 and 0x8001 are one partition. */
  private static int full(int pkey) {
    return (pkey | 0x8000) & 0xffff;
  }

  /** {@return the name of a new child, which is now entered into {@link #names}} */
  private String claimChild(NetDevice parent, int pkey, @Nullable String wanted) {
    int full = full(pkey);
    boolean own = wanted == null && full == parent.pkey();
    if (full == 0x8000 || own || parent.child) {
      throw new IbInvalidException(
          "create_child of " + parent.name(),
          String.format("P_Key 0x%04x", pkey),
          "0x0001 to 0x7fff, of an interface that is no child itself");
    }
    String name = wanted == null ? String.format("%s.%04x", parent.name(), full) : wanted;
    synchronized (names) {
      if (!names.add(name)) {
        throw new IbExistsException("create_child", name + " is there", "");
      }
    }
    return name;
  }

  /**
   * Returns the name under which an interface is kept: {@code ib0.000a} becomes {@code ib0.800a}.
   *
   * @param name the name as a user spells it
   * @return the name as {@link NetDevice#name} spells it
   */
  public static String canonical(String name) {
    Matcher child = CHILD.matcher(name);
    return child.matches()
        ? String.format("%s.%04x", child.group(1), Integer.parseInt(child.group(2), 16) | 0x8000)
        : name;
  }

  /**
   * Closes a child interface and frees its name. Blocks until the interface's thread has ended.
   *
   * @param name its name, in either spelling
   * @throws IbInvalidException when there is no such child
   */
  public void deleteChild(String name) {
    String canonical = canonical(name);
    for (Adapter adapter : adapters) {
      NetDevice child = adapter.enter(canonical, true);
      if (child != null) {
        try {
          child.close();
        } finally {
          free(canonical);
          adapter.leave();
        }
        return;
      }
    }
    throw new IbInvalidException("delete_child", "no child " + name, "ib:netif");
  }
}
