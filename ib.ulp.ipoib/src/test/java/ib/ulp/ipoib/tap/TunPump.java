package ib.ulp.ipoib.tap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two TUN devices, and a thread each way that carries packets: what any such program costs. */
final class TunPump implements AutoCloseable {
  private final List<TapDevice> devices;
  private final List<Thread> threads;
  private volatile boolean ended;

  TunPump(String left, String right) throws IOException {
    TapDevice a = TapDevice.tun(left, 1);
    TapDevice b = TapDevice.tun(right, 1);
    a.mtu(2044);
    b.mtu(2044);
    devices = List.of(a, b);
    threads = List.of(carrier(a, b), carrier(b, a));
    threads.forEach(Thread::start);
  }

  /** {@return the name of a device, 0 or 1} */
  String name(int device) {
    return devices.get(device).name;
  }

  private Thread carrier(TapDevice from, TapDevice to) throws IOException {
    Libc libc = Libc.find();
    return new Thread(() -> carry(from, to, libc));
  }

  private void carry(TapDevice from, TapDevice to, Libc libc) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocate(Ethernet.LONGEST + 64L, 8);
      while (!ended) {
        int length = from.read(packet);
        if (length > 0) {
          libc.write(to.fd(), packet.address(), length);
        } else {
          from.sleep(TimeUnit.SECONDS.toNanos(1));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    ended = true;
    devices.forEach(TapDevice::wake);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    devices.forEach(TapDevice::close);
  }
}
