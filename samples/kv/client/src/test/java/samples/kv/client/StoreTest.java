package samples.kv.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.kit.fabric.IbFabric;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import samples.kv.api.Bucket;
import samples.kv.api.KeyValueServer;
import samples.kv.api.StoreException;
import samples.kv.api.StoreException.Reason;
import samples.kv.server.Server;
import samples.kv.server.Table;

/** The store over two devices: the server is on soft0, the client on soft1. */
@IbFabric
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreTest {
  private static final int BUCKETS = 64;
  private static final int HALF = 100; // of a bucket with a value of middle length

  private final Table table = new Table(BUCKETS);
  private final Client client = new Client("soft1");
  private final List<ClientRegistration> registrations = new ArrayList<>();

  /** What the component of the server and the framework do. */
  private final class Host implements IbClient {
    @Override
    public String name() {
      return "host of the server";
    }

    @Override
    public boolean supports(DeviceInfo device) {
      return device.name().equals("soft0");
    }

    @Override
    public Object add(IbDevice device) {
      Server server = new Server(device, table);
      client.bindServer(server);
      return server;
    }

    @Override
    public void remove(IbDevice device, Object clientData) {
      Server server = (Server) clientData;
      client.unbindServer(server);
      server.close();
    }
  }

  @BeforeEach
  void begin(IbCore core) {
    registrations.add(core.registerClient(client));
    registrations.add(core.registerClient(new Host()));
  }

  @AfterEach
  void end(IbCore core) {
    registrations.reversed().forEach(ClientRegistration::unregister);
    assertEquals(List.of(), core.violations(), "with leaks of clients, if there are any");
  }

  @Test
  void storesFindsAndDeletes() {
    assertEquals(Optional.empty(), client.get("key"));
    assertFalse(client.delete("key"));
    for (String value : List.of("value", "", "é".repeat(Bucket.MAX_VALUE_BYTES / 2))) {
      client.put("key", value);
      assertEquals(Optional.of(value), client.get("key"));
    }
    assertTrue(client.delete("key"));
    assertEquals(Optional.empty(), client.get("key"));
    client.put("k".repeat(Bucket.MAX_KEY_BYTES), "v".repeat(Bucket.MAX_VALUE_BYTES));
    assertEquals(
        Optional.of("v".repeat(Bucket.MAX_VALUE_BYTES)),
        client.get("k".repeat(Bucket.MAX_KEY_BYTES)));
  }

  /** The same for many requests, while packets are lost: the devices send them again. */
  @Test
  @IbFabric(faults = "loss rate=0.02", seed = 42)
  void worksThoughPacketsAreLost() {
    for (int i = 0; i < 50; i++) {
      client.put("key" + i % 7, "value " + i);
      assertEquals(Optional.of("value " + i), client.get("key" + i % 7));
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    failsWith(Reason.SIZE, () -> client.put("", "value"));
    failsWith(Reason.SIZE, () -> client.get("é".repeat(Bucket.MAX_KEY_BYTES / 2 + 1)));
    failsWith(Reason.SIZE, () -> client.put("key", "v".repeat(Bucket.MAX_VALUE_BYTES + 1)));
  }

  @Test
  void saysThatTheTableIsFull() {
    int stored = 0;
    StoreException full = null;
    while (full == null) {
      try {
        client.put("key" + stored, "value " + stored);
        stored++;
      } catch (StoreException e) {
        full = e;
      }
    }
    assertEquals(Reason.FULL, full.reason());
    for (int i = 0; i < stored; i++) {
      assertEquals(Optional.of("value " + i), client.get("key" + i));
    }
  }

  @Test
  void saysThatThereIsNoServer(StandaloneFabric fabric) {
    fabric.unplug("soft0");
    failsWith(Reason.NO_SERVER, () -> client.get("key"));
    fabric.plug("soft0");
    fabric.unplug("soft1");
    failsWith(Reason.NO_SERVER, () -> client.put("key", "value"));
  }

  /** A bucket that stays half written: as if the server had stopped in the middle. */
  @Test
  void neverReturnsATornBucket() {
    client.put("key", "value");
    int first = Bucket.first("key".getBytes(UTF_8), BUCKETS);
    var bucket = Bucket.of(table.memory(), first).memory();
    byte old = bucket.get(ValueLayout.JAVA_BYTE, 16);
    bucket.set(ValueLayout.JAVA_BYTE, 16, (byte) 'X');
    failsWith(Reason.BUSY, () -> client.get("key"));
    bucket.set(ValueLayout.JAVA_BYTE, 16, old);
    assertEquals(Optional.of("value"), client.get("key"));
  }

  /**
   * Each value is one letter, repeated: a mixture would show that a bucket was torn. Two clients
   * put and get, and the server writes the bucket by halves, again and again.
   */
  @Test
  @IbFabric(seed = 7, packets = 0)
  void readsWholeValuesWhileOthersWrite(IbDevice server, IbDevice handle) throws Exception {
    List<Client> clients = new ArrayList<>();
    List<Callable<Void>> tasks = new ArrayList<>();
    AtomicInteger asking = new AtomicInteger(2);
    try (Server other = new Server(server, table)) {
      for (int i = 0; i < 2; i++) {
        Client each = new Client("soft1");
        each.add(handle);
        each.bindServer(other);
        clients.add(each);
        SplittableRandom random = new SplittableRandom(i);
        tasks.add(
            () -> {
              try {
                ask(each, random);
              } finally {
                asking.decrementAndGet();
              }
              return null;
            });
      }
      tasks.add(() -> overwrite(asking));
      together(tasks);
      clients.forEach(each -> each.remove(handle, null));
    }
  }

  private static void ask(Client each, SplittableRandom random) {
    for (int n = 0; n < 300; n++) {
      try {
        if (random.nextBoolean()) {
          each.put("key", letters(random));
        } else {
          String value = each.get("key").orElse("-");
          assertTrue(value.chars().allMatch(c -> c == value.charAt(0)), value);
        }
      } catch (StoreException e) {
        assertEquals(Reason.BUSY, e.reason(), e.getMessage()); // nothing, rather than a mixture
      }
    }
  }

  private Void overwrite(AtomicInteger asking) {
    SplittableRandom random = new SplittableRandom(4);
    Bucket whole = new Bucket(MemorySegment.ofArray(new byte[Bucket.BYTES]));
    MemorySegment bucket =
        Bucket.of(table.memory(), Bucket.first("key".getBytes(UTF_8), BUCKETS)).memory();
    while (asking.get() > 0) {
      whole.write("key".getBytes(UTF_8), letters(random).getBytes(UTF_8));
      synchronized (table) {
        MemorySegment.copy(whole.memory(), HALF, bucket, HALF, Bucket.BYTES - HALF);
        Thread.yield(); // so that there is much to see
        MemorySegment.copy(whole.memory(), 0, bucket, 0, HALF);
      }
      Thread.yield();
    }
    return null;
  }

  private static String letters(SplittableRandom random) {
    String letter = Character.toString('a' + random.nextInt(26));
    return letter.repeat(random.nextInt(1, Bucket.MAX_VALUE_BYTES));
  }

  /** A request may be under way, at any place, when another thread closes the link. */
  @Test
  void aRequestOnAClosedLinkFails(IbDevice server, IbDevice handle) {
    try (Server other = new Server(server, table)) {
      Link link = new Link();
      link.connect(handle, other);
      byte[] key = "key".getBytes(UTF_8);
      assertEquals(KeyValueServer.DONE, link.send(KeyValueServer.PUT, key, key));
      link.close();
      failsWith(Reason.GONE, () -> link.get(key));
      failsWith(Reason.GONE, () -> link.send(KeyValueServer.PUT, key, key));
    }
  }

  @Test
  void survivesThatTheServersDeviceGoesUnderTraffic(IbCore core, StandaloneFabric fabric)
      throws Exception {
    survives("soft0", core, fabric);
  }

  @Test
  void survivesThatTheClientsDeviceGoesUnderTraffic(IbCore core, StandaloneFabric fabric)
      throws Exception {
    survives("soft1", core, fabric);
  }

  private void survives(String device, IbCore core, StandaloneFabric fabric) throws Exception {
    client.put("kept", "value");
    AtomicInteger rounds = new AtomicInteger(5);
    AtomicInteger done = new AtomicInteger();
    AtomicInteger failed = new AtomicInteger();
    Callable<Void> traffic =
        () -> {
          while (rounds.get() > 0) {
            try {
              client.put("key", "value");
              client.get("key");
              done.incrementAndGet();
            } catch (StoreException e) {
              assertTrue(e.reason() == Reason.GONE || e.reason() == Reason.NO_SERVER, e.toString());
              failed.incrementAndGet();
              LockSupport.parkNanos(1_000_000);
            }
          }
          return null;
        };
    Callable<Void> plugging =
        () -> {
          try {
            while (rounds.get() > 0) {
              await(done);
              fabric.unplug(device);
              await(failed);
              assertTrue(core.lastRemoval(device).orElseThrow().leaks().isEmpty());
              fabric.plug(device);
              rounds.decrementAndGet();
            }
          } finally {
            rounds.set(0);
          }
          return null;
        };
    together(List.of(traffic, traffic, plugging));
    assertEquals(Optional.of("value"), client.get("kept"), "the table outlives the device");
  }

  /** Waits until a number grows. */
  private static void await(AtomicInteger number) {
    int before = number.get();
    while (number.get() == before) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void together(List<Callable<Void>> tasks) throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    }
  }

  private static void failsWith(Reason reason, Runnable request) {
    StoreException failure = assertThrows(StoreException.class, request::run);
    assertEquals(reason, failure.reason(), failure.getMessage());
    assertTrue(failure.getMessage().contains(". Try: "), failure.getMessage());
  }
}
