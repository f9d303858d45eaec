package ib.bench.net;

import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.function.BooleanSupplier;

/**
 * UDP by system calls: one packet a call, many packets a call (sendmmsg, recvmmsg), or the system
 * cuts and joins (UDP_SEGMENT, UDP_GRO). {@code raw-icrc} cuts and joins too, and has the duty of
 * any RoCE in software: each end copies each packet once and makes its CRC32 once. A stream has at
 * most {@value #WINDOW} bytes under way.
 */
final class RawHalf implements Half {
  private static final int WINDOW = 256 << 10;
  private static final int CREDIT_EVERY = 32 << 10;
  private static final long STUCK_NS = 5_000_000;

  private final Spec spec;
  private final Socket socket;
  private final boolean gso;
  private final boolean icrc;
  private final Duty duty = new Duty();
  private final boolean one;
  private final boolean sleeps;
  private long all; // bytes received
  private long told; // of these, what the other end was told of, or has told us

  RawHalf(Spec spec, boolean serves, boolean connected) throws Exception {
    this.spec = spec;
    this.icrc = spec.system().equals("raw-icrc");
    this.gso = icrc || spec.system().equals("raw-gso");
    this.one = spec.system().equals("raw-one");
    this.sleeps = spec.pattern() == Spec.Pattern.SLEEP;
    InetAddress server = InetAddress.ofLiteral(spec.server());
    InetAddress client = InetAddress.ofLiteral(spec.client());
    int port = spec.port();
    try {
      socket =
          serves
              ? new Socket(server, port, client, port + 1, connected)
              : new Socket(client, port + 1, server, port, connected);
      if (gso) {
        socket.joins();
      }
      socket.hurry();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void serve(BooleanSupplier stop) {
    if (spec.pattern() == Spec.Pattern.STREAM) {
      sink(stop);
      return;
    }
    while (!stop.getAsBoolean()) {
      if (socket.receive(1, sleeps) > 0) {
        socket.send(spec.bytes(), 0);
      }
    }
  }

  private void sink(BooleanSupplier stop) {
    while (!stop.getAsBoolean()) {
      int n = socket.receive(one ? 1 : gso ? 8 : Socket.BATCH, false);
      if (n > 0) {
        for (int i = 0; icrc && i < n; i++) {
          duty.received(socket.arrived(i), socket.length(i), spec.packet() + Spec.HEADERS);
        }
        all += socket.received();
        if (all - told >= CREDIT_EVERY) {
          told = all;
          socket.message(0).set(ValueLayout.JAVA_LONG, 0, all);
          socket.send(Long.BYTES, 0);
        }
      }
    }
  }

  @Override
  public long drive(long untilNs) {
    return spec.pattern() == Spec.Pattern.STREAM ? stream(untilNs) : roundTrips(untilNs);
  }

  private long roundTrips(long untilNs) {
    long n = 0;
    long now = System.nanoTime();
    while (now < untilNs) {
      socket.send(spec.bytes(), 0);
      for (long sent = now; socket.receive(1, sleeps) == 0; ) {
        if (System.nanoTime() - sent > 20 * STUCK_NS) {
          break; // lost
        }
      }
      n++;
      now = System.nanoTime();
    }
    return n;
  }

  /** Counts what the receiver said it had, not what was sent. */
  private long stream(long untilNs) {
    int packet = spec.packet() + Spec.HEADERS;
    int many = Math.min(Socket.BATCH, WINDOW / 2 / packet);
    int burst = gso ? Math.min(Socket.BATCH, 65_000 / packet) : one ? 1 : many;
    long begun = told;
    long sent = told;
    long heard = System.nanoTime();
    while (System.nanoTime() < untilNs) {
      int n = socket.receive(8, false);
      for (int i = 0; i < n; i++) {
        told = Math.max(told, socket.arrived(i).get(ValueLayout.JAVA_LONG, 0));
      }
      if (n > 0) {
        heard = System.nanoTime();
      }
      if (sent + (long) burst * packet - told > WINDOW) {
        if (System.nanoTime() - heard > STUCK_NS) {
          sent = told; // the rest is lost, or its credit
          heard = System.nanoTime();
        }
        continue;
      }
      if (icrc) {
        duty.send(socket.message(0), burst * packet, packet);
      }
      if (gso) {
        sent += socket.send(burst * packet, packet) ? (long) burst * packet : 0;
      } else if (one) {
        sent += socket.send(packet, 0) ? packet : 0;
      } else {
        sent += (long) socket.sendAll(burst, packet) * packet;
      }
    }
    return (told - begun) / packet;
  }

  @Override
  public void close() {
    socket.close();
  }
}
