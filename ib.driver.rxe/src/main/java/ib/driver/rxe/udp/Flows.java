package ib.driver.rxe.udp;

import ib.core.wire.BthOpcode;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The UDP source ports of an address. Routers with several paths choose by the source port, so each
 * queue pair has its own (IBA annex A17.9.2), the same that Linux computes. A socket sends from one
 * port only, so each port has a socket, opened soon after its first use. Until then, and when there
 * are too many, packets leave from the well-known port. Receivers ignore the source port. Any
 * thread may call {@link #find}, which does not block.
 */
final class Flows {
  private static final int FIRST = 0xC000;
  private static final int COUNT = 0x4000;
  private static final int GOLDEN = 0x61C88647;
  private static final int MAX_ASKED = 64;

  private final int most;
  private final AtomicReferenceArray<Endpoint> open;
  private final AtomicIntegerArray wanted = new AtomicIntegerArray(MAX_ASKED);
  private volatile boolean full;
  private volatile int opened;

  /** Opens a socket that is bound to another port of the same address. */
  interface Opener {
    /** {@return the socket, or null when another process uses the port} */
    @Nullable Endpoint open(int port);
  }

  Flows(int most) {
    this.most = most;
    this.open = new AtomicReferenceArray<>(most == 0 ? 0 : COUNT);
    this.full = most == 0;
  }

  /** {@return the source port that Linux rdma_rxe uses for such a packet} */
  static int port(Packet p) {
    if ((p.opcode & 0xe0) == BthOpcode.Service.UD.bits()) {
      return FIRST + (p.sourceQpn * GOLDEN >>> 18);
    }
    int label = p.flowLabel;
    if (label == 0) {
      long both = (long) p.sourceQpn * p.destQpn; // equal in both directions
      both ^= both >>> 20;
      both ^= both >>> 40;
      label = (int) both & 0xfffff;
    }
    return label & 0x3fff ^ (label & 0xfc000) >>> 14 | FIRST;
  }

  /** {@return the socket to send from; null for the main socket} */
  @Nullable Endpoint find(Packet p) {
    if (full && opened == 0) {
      return null;
    }
    int port = port(p);
    Endpoint e = open.get(port - FIRST);
    if (e == null && !full) {
      wanted.set(port % MAX_ASKED, port);
    }
    return e;
  }

  /** Opens the ports that {@link #find} has asked for since the last call. One thread at a time. */
  void open(Endpoint main, Opener opener) {
    int n = opened; // only this method changes opened
    for (int i = 0; i < MAX_ASKED && !full; i++) {
      int port = wanted.getAndSet(i, 0);
      if (port != 0 && open.get(port - FIRST) == null) {
        Endpoint e = opener.open(port);
        open.set(port - FIRST, e == null ? main : e);
        opened = ++n;
        full = n >= most;
      }
    }
  }

  /** {@return whether {@link #open} has a port to open} */
  boolean isAsked() {
    for (int i = 0; i < MAX_ASKED && !full; i++) {
      int port = wanted.get(i);
      if (port != 0 && open.get(port - FIRST) == null) {
        return true;
      }
    }
    return false;
  }

  /** {@return all sockets but the main one} */
  List<Endpoint> sockets(Endpoint main) {
    List<Endpoint> sockets = new ArrayList<>();
    for (int i = 0; i < open.length(); i++) {
      Endpoint e = open.get(i);
      if (e != null && !e.equals(main)) {
        sockets.add(e);
      }
    }
    return sockets;
  }
}
