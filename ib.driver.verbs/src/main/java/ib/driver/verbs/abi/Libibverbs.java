package ib.driver.verbs.abi;

import ib.core.verbs.IbException;
import ib.core.verbs.IbNotSupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The functions of libibverbs that are exported symbols. The library is never unloaded. */
public final class Libibverbs {
  /** The name by which the system's loader finds it. */
  public static final String NAME = "libibverbs.so.1";

  private final List<String> absent = new ArrayList<>();
  private final SymbolLookup symbols;
  private final Libc libc;

  public final Function listDevices;
  public final Function freeDevices;
  public final Function openDevice;
  public final Function closeDevice;
  public final Function queryDevice;
  public final Function queryPort;
  public final Function queryGid;
  public final Function queryPkey;
  public final Function allocPd;
  public final Function deallocPd;
  public final Function regMr;
  public final Function deregMr;
  public final Function createChannel;
  public final Function destroyChannel;
  public final Function createCq;
  public final Function resizeCq;
  public final Function destroyCq;
  public final Function nextCqEvent;
  public final Function ackCqEvents;
  public final Function createQp;
  public final Function modifyQp;
  public final Function queryQp;
  public final Function destroyQp;
  public final Function createSrq;
  public final Function modifySrq;
  public final Function querySrq;
  public final Function destroySrq;
  public final Function createAh;
  public final Function destroyAh;
  public final Function attachMulticast;
  public final Function detachMulticast;
  public final Function nextAsyncEvent;
  public final Function ackAsyncEvent;

  private Libibverbs(SymbolLookup symbols, Libc libc) {
    this.symbols = symbols;
    this.libc = libc;
    listDevices = find("ibv_get_device_list");
    freeDevices = find("ibv_free_device_list");
    openDevice = find("ibv_open_device");
    closeDevice = find("ibv_close_device");
    queryDevice = find("ibv_query_device");
    queryPort = find("ibv_query_port");
    queryGid = find("_ibv_query_gid_ex");
    queryPkey = find("ibv_query_pkey");
    allocPd = find("ibv_alloc_pd");
    deallocPd = find("ibv_dealloc_pd");
    regMr = find("ibv_reg_mr_iova2");
    deregMr = find("ibv_dereg_mr");
    createChannel = find("ibv_create_comp_channel");
    destroyChannel = find("ibv_destroy_comp_channel");
    createCq = find("ibv_create_cq");
    resizeCq = find("ibv_resize_cq");
    destroyCq = find("ibv_destroy_cq");
    nextCqEvent = find("ibv_get_cq_event");
    ackCqEvents = find("ibv_ack_cq_events");
    createQp = find("ibv_create_qp");
    modifyQp = find("ibv_modify_qp");
    queryQp = find("ibv_query_qp");
    destroyQp = find("ibv_destroy_qp");
    createSrq = find("ibv_create_srq");
    modifySrq = find("ibv_modify_srq");
    querySrq = find("ibv_query_srq");
    destroySrq = find("ibv_destroy_srq");
    createAh = find("ibv_create_ah");
    destroyAh = find("ibv_destroy_ah");
    attachMulticast = find("ibv_attach_mcast");
    detachMulticast = find("ibv_detach_mcast");
    nextAsyncEvent = find("ibv_get_async_event");
    ackAsyncEvent = find("ibv_ack_async_event");
  }

  private Function find(String name) {
    Optional<Function> found = symbols.find(name).map(address -> new Function(name, address));
    if (found.isEmpty()) {
      absent.add(name);
    }
    return found.orElse(new Function(name, java.lang.foreign.MemorySegment.NULL));
  }

  /** {@return the C library} */
  public Libc libc() {
    return libc;
  }

  /**
   * Loads the library.
   *
   * @param name file name, {@link #NAME} outside of tests
   * @return the library
   * @throws IbException when the host has none, or one that is too old, or this JVM may not call it
   */
  public static Libibverbs load(String name) {
    String system = System.getProperty("os.name", "");
    if (!system.equals("Linux") || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
      throw refusal(
          "libibverbs is called on 64-bit Linux only, not on " + system,
          "ib.driver.soft or ib.driver.rxe");
    }
    Libibverbs library;
    try {
      library = new Libibverbs(SymbolLookup.libraryLookup(name, Arena.global()), new Libc());
    } catch (IllegalCallerException e) {
      throw refusal(
          "this JVM denies native access", "start Java with --enable-native-access=ALL-UNNAMED");
    } catch (IllegalArgumentException e) { // the loader's answer to a library that it cannot open
      throw refusal(
          "this host has no " + name,
          "install rdma-core (Debian: apt install libibverbs1 ibverbs-providers; Fedora: dnf install"
              + " libibverbs)");
    }
    if (!library.absent.isEmpty()) {
      throw refusal(
          name + " of this host is too old: it has no " + String.join(", ", library.absent),
          "rdma-core 33 or newer");
    }
    return library;
  }

  private static IbNotSupportedException refusal(String why, String hint) {
    return new IbNotSupportedException("RDMA devices of the host", why, hint);
  }
}
