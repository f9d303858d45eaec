package ib.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.NativeLibs;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * One end of a UCX connection over shared memory: a context, its worker, an endpoint to the other
 * end, a source buffer and a buffer the other end may write. UCX wants all of it used by the thread
 * that made it; the other end only takes its address and key, and looks at its buffer.
 */
final class Jucx implements AutoCloseable {
  private static final int DRIVE_EVERY = 64;
  private static final long MARK = 0x6a75_6378_7075_7421L;

  final UcpWorker worker;
  private final MemorySegment source;
  private final UcpContext context;
  private final UcpMemory memory;
  private final ByteBuffer address;
  private final ByteBuffer key;
  private final MemorySegment arrived;
  private final Arena arena = Arena.ofShared();
  private final Patience patience = new Patience("jucx");
  private @Nullable UcpEndpoint endpoint;
  private @Nullable UcpRemoteKey remoteKey;
  private long remoteAddress;
  private @Nullable Jucx driven;

  Jucx(int bytes) {
    NativeLibs.load();
    context =
        new UcpContext(
            new UcpParams().requestTagFeature().requestRmaFeature().setConfig("TLS", "posix,self"));
    worker = context.newWorker(new UcpWorkerParams());
    memory = context.memoryMap(new UcpMemMapParams().allocate().setLength(bytes));
    address = worker.getAddress();
    key = memory.getRemoteKeyBuffer();
    arrived = MemorySegment.ofAddress(memory.getAddress()).reinterpret(bytes);
    source = arena.allocate(bytes, 64);
  }

  /** Why there is no UCX here that jucx works with, or null. */
  static @Nullable String missing() {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup ucp = SymbolLookup.libraryLookup("libucp.so.0", arena);
      // bound when first called: a UCX without them would end the process then
      for (String name : List.of("ucp_memh_pack", "ucp_memh_buffer_release")) {
        if (ucp.find(name).isEmpty()) {
          return "the UCX of this system is too old, it has no " + name;
        }
      }
      NativeLibs.load();
      return null;
    } catch (IllegalArgumentException | LinkageError e) {
      return String.valueOf(e.getMessage()).lines().findFirst().orElse("").strip();
    }
  }

  /** Connects two ends of this thread, which drives both of them. */
  static void connect(Jucx a, Jucx b) {
    a.connect(b);
    b.connect(a);
    a.driven = b;
    b.driven = a;
    a.firstPut(b);
  }

  /** This half of a connection. */
  void connect(Jucx peer) {
    UcpEndpoint e = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(peer.address));
    remoteKey = e.unpackRemoteKey(peer.key);
    remoteAddress = peer.arrived.address();
    endpoint = e;
  }

  /** Sets the connection up, for which both ends have to be driven, and sees that writes arrive. */
  void firstPut(Jucx peer) {
    source.set(ValueLayout.JAVA_LONG, 0, MARK);
    finish(put(Long.BYTES));
    if (peer.firstBytes() != MARK) {
      throw new IllegalStateException("jucx: the put was flushed and did not arrive");
    }
  }

  /** Starts a write into the other end's memory, and a flush: done when the request is. */
  UcpRequest put(int bytes) {
    putOnly(bytes);
    return endpoint.flushNonBlocking(null);
  }

  void putOnly(int bytes) {
    endpoint.putNonBlockingImplicit(source.address(), bytes, remoteAddress, remoteKey);
  }

  UcpRequest send(int bytes, long tag) {
    return endpoint.sendTaggedNonBlocking(source.address(), bytes, tag, null);
  }

  UcpRequest receive(int bytes, long tag) {
    return worker.recvTaggedNonBlocking(arrived.address(), bytes, tag, -1L, null);
  }

  /** The first bytes received or written by the other end. */
  long firstBytes() {
    return arrived.get(ValueLayout.JAVA_LONG, 0);
  }

  void progress() {
    try {
      worker.progress();
    } catch (Exception e) { // declared so
      throw new IllegalStateException(e);
    }
  }

  void finish(UcpRequest request) {
    Jucx other = driven;
    for (int turn = 0; !request.isCompleted(); turn++) {
      progress();
      if (other != null && turn % DRIVE_EVERY == 0) {
        other.progress();
      }
      patience.spin();
    }
    patience.rest();
  }

  @Override
  public void close() {
    remoteKey.close();
    finish(endpoint.closeNonBlockingFlush());
    if (driven != null) {
      driven.driven = null;
    }
    worker.close();
    memory.close();
    context.close();
    arena.close();
  }
}
