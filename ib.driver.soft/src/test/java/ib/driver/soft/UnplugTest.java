package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.RemovalReport;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("F16 a device is unplugged under traffic")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UnplugTest {
  private static final int QPS = 8;
  private static final int ROUNDS = 20;

  /** The receiving client, on one device: everything is made in add and is gone after remove. */
  private static final class Receivers implements IbClient {
    final List<BusyQp> qps = new ArrayList<>();
    final List<String> accounts = new ArrayList<>();
    private Thread thread;
    private volatile boolean stop;

    @Override
    public String name() {
      return "receivers";
    }

    @Override
    public boolean supports(ib.core.verbs.DeviceInfo device) {
      return device.name().equals("soft1");
    }

    @Override
    public Object add(IbDevice device) {
      stop = false;
      qps.clear();
      for (int i = 0; i < QPS; i++) {
        Side side = new Side(device, 1);
        side.open(QpType.RC);
        qps.add(new BusyQp(side, false));
      }
      return null;
    }

    void start() {
      thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!stop) {
                      qps.forEach(BusyQp::turn);
                    }
                  });
    }

    @Override
    public void remove(IbDevice device, Object data) {
      stop = true;
      try {
        if (thread != null) {
          thread.join(TimeUnit.MINUTES.toMillis(5));
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      for (BusyQp qp : qps) {
        accounts.add(qp.settle().account());
        qp.side.close();
      }
    }
  }

  @Test
  @DisplayName(
      "F15 F16 20 unplugs, 8 busy RC queue pairs: every request completes once on both sides")
  void everyRequestCompletesOnce() throws Exception {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Receivers receivers = new Receivers();
      ClientRegistration registration = lab.midlayer.core().registerClient(receivers);
      for (int round = 0; round < ROUNDS; round++) {
        List<BusyQp> senders = connect(lab, receivers);
        receivers.start();
        Thread sending =
            Thread.ofPlatform()
                .start(
                    () -> {
                      while (senders.stream().anyMatch(s -> !s.over)) {
                        senders.forEach(BusyQp::turn);
                      }
                    });
        await(() -> senders.stream().allMatch(s -> s.good() > 50 || s.over));
        lab.slot("soft1").unplug();
        assertFalse(Lab.threads().stream().anyMatch(t -> t.contains("soft1-engine")));
        sending.join(TimeUnit.MINUTES.toMillis(5));
        assertFalse(sending.isAlive(), "the survivors did not notice");
        for (BusyQp s : senders) {
          assertTrue(s.good() > 50, "the traffic was real: " + s.good());
          assertEquals("", s.settle().account());
          s.side.close();
        }
        assertEquals(QPS, receivers.accounts.size());
        receivers.accounts.forEach(a -> assertEquals("", a));
        receivers.accounts.clear();
        RemovalReport report = lab.midlayer.core().lastRemoval("soft1").orElseThrow();
        assertEquals(List.of(), report.leaks());
        lab.slot("soft1").plug();
      }
      registration.unregister();
      assertEquals(List.of(), lab.resources());
      assertEquals(List.of(), lab.midlayer.core().violations());
      assertEquals(List.of(), lab.errors);
    }
  }

  private static List<BusyQp> connect(Lab lab, Receivers receivers) {
    List<BusyQp> senders = new ArrayList<>();
    IbDevice device = lab.lease("soft0");
    for (BusyQp r : receivers.qps) {
      Side a = new Side(device, 1);
      a.open(QpType.RC);
      a.bringUp(r.side, Mtu.MTU_4096);
      r.side.bringUp(a, Mtu.MTU_4096);
      senders.add(new BusyQp(a, true));
    }
    return senders;
  }

  /** A client that cleans nothing up and goes on posting. */
  private static final class Rude implements IbClient {
    volatile QueuePair qp;
    private volatile BusyQp busy;

    @Override
    public String name() {
      return "rude";
    }

    @Override
    public Object add(IbDevice device) {
      Side a = new Side(device, 1);
      Side b = new Side(device, 1);
      Side.connect(QpType.RC, a, b, Mtu.MTU_4096);
      busy = new BusyQp(a, true);
      BusyQp peer = new BusyQp(b, false);
      qp = a.qp;
      Thread.ofPlatform()
          .daemon()
          .name("rude")
          .start(
              () -> {
                while (!busy.over) {
                  peer.turn();
                  busy.turn();
                }
              });
      return null;
    }

    @Override
    public void remove(IbDevice device, Object data) {}
  }

  @Test
  @DisplayName(
      "CC-20 a client that leaves everything behind and goes on posting: GONE, and no hang")
  void leftBehind() {
    try (Lab lab = new Lab("soft0")) {
      for (int round = 0; round < 10; round++) {
        Rude rude = new Rude();
        ClientRegistration registration = lab.midlayer.core().registerClient(rude);
        await(() -> rude.busy.good() > 20);
        lab.slot("soft0").unplug();
        assertEquals(8, lab.midlayer.core().lastRemoval("soft0").orElseThrow().leaks().size());
        await(() -> rude.busy.over);
        assertEquals(PostStatus.GONE, rude.qp.postReceive(1, 0, 0, 0));
        assertFalse(Lab.threads().stream().anyMatch(t -> t.contains("soft0-engine")));
        registration.unregister();
        lab.slot("soft0").plug();
      }
      assertEquals(List.of(), lab.resources());
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "not within 60 s");
      Thread.yield();
    }
  }
}
