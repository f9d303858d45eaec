package samples.kv.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import java.util.Optional;
import java.util.function.Function;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import samples.kv.api.Bucket;
import samples.kv.api.KeyValueServer;
import samples.kv.api.Store;
import samples.kv.api.StoreException;
import samples.kv.api.StoreException.Reason;

/**
 * The store at the client. The core adds and removes the device, the framework brings the server
 * and takes it; when either goes, the link is closed before that call returns. The next request
 * makes a new one.
 *
 * <p>The lock of this object guards its fields and the making and closing of links. Who holds it
 * may call the server, which never calls back. A request waits without it.
 */
@Component(
    name = "samples.kv.client",
    service = {IbClient.class, Store.class})
public final class Client implements IbClient, Store {
  /** The keys of {@code conf/samples.kv.client.cfg}; the file need not exist. */
  public @interface Config {
    /** {@return the name of the device} */
    String device() default "soft1";
  }

  private final String deviceName;
  private IbDevice device;
  private KeyValueServer server;
  private Link link;

  @Activate
  public Client(Config config) {
    this(config.device());
  }

  /**
   * A client without a server.
   *
   * @param deviceName the name of its device
   */
  public Client(String deviceName) {
    this.deviceName = deviceName;
  }

  @Override
  public String name() {
    return "kv-client";
  }

  @Override
  public boolean supports(DeviceInfo info) {
    return info.name().equals(deviceName);
  }

  @Override
  public synchronized Object add(IbDevice handle) {
    device = handle;
    return null;
  }

  @Override
  public synchronized void remove(IbDevice handle, Object clientData) {
    drop(link);
    device = null;
  }

  /**
   * A server is there.
   *
   * @param arrived the server
   */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  public synchronized void bindServer(KeyValueServer arrived) {
    drop(link);
    server = arrived;
  }

  /**
   * A server goes.
   *
   * @param gone the server
   */
  public synchronized void unbindServer(KeyValueServer gone) {
    if (server == gone) { // else the framework has brought the next one already
      drop(link);
      server = null;
    }
  }

  @Override
  public void put(String key, String value) {
    byte[] k = key(key);
    byte[] v = bytes("the value", value, 0, Bucket.MAX_VALUE_BYTES);
    int answer = ask(l -> l.send(KeyValueServer.PUT, k, v));
    if (answer == KeyValueServer.FULL) {
      throw new StoreException(
          Reason.FULL,
          "all " + Bucket.PROBES + " buckets that \"" + key + "\" may be in are taken");
    }
    expect(answer == KeyValueServer.DONE, answer);
  }

  @Override
  public Optional<String> get(String key) {
    byte[] k = key(key);
    return ask(l -> l.get(k)).map(value -> new String(value, UTF_8));
  }

  @Override
  public boolean delete(String key) {
    byte[] k = key(key);
    int answer = ask(l -> l.send(KeyValueServer.DELETE, k, new byte[0]));
    expect(answer == KeyValueServer.DONE || answer == KeyValueServer.ABSENT, answer);
    return answer == KeyValueServer.DONE;
  }

  private static byte[] key(String key) {
    return bytes("the key", key, 1, Bucket.MAX_KEY_BYTES);
  }

  private static byte[] bytes(String what, String text, int least, int most) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length < least || bytes.length > most) {
      throw new StoreException(
          Reason.SIZE, what + " has " + bytes.length + " bytes, not " + least + " to " + most);
    }
    return bytes;
  }

  private static void expect(boolean right, int answer) {
    if (!right) {
      String what = answer == KeyValueServer.REFUSED ? "that the message is wrong" : "" + answer;
      throw new StoreException(Reason.REFUSED, "the server answers " + what);
    }
  }

  private <T> T ask(Function<Link, T> request) {
    Link now = connected();
    try {
      return request.apply(now);
    } catch (StoreException e) {
      if (e.reason() == Reason.GONE) {
        drop(now);
      }
      throw e;
    }
  }

  private synchronized Link connected() {
    if (link != null) {
      return link;
    }
    if (device == null) {
      throw new StoreException(Reason.NO_SERVER, "there is no device " + deviceName);
    }
    if (server == null) {
      throw new StoreException(Reason.NO_SERVER, "there is no server, or its device is gone");
    }
    Link made = new Link();
    try {
      made.connect(device, server);
      link = made;
    } catch (IbException e) {
      throw new StoreException(Reason.NO_SERVER, e.getMessage(), e);
    } finally {
      if (link == null) {
        made.close();
      }
    }
    return made;
  }

  /** Closes a link that is still open. */
  private synchronized void drop(Link old) {
    if (link != null && link == old) {
      link = null;
      old.close();
    }
  }
}
