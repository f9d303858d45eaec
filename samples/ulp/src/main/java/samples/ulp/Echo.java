package samples.ulp;

import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Component;

/**
 * The protocol: it has a link on each device while the device is there. The midlayer calls {@link
 * #add} and {@link #remove} whenever a device is plugged or unplugged, also under load; any thread
 * may call {@link #say}, which the shell knows as {@code echo:say TEXT}.
 */
@Component(
    service = {IbClient.class, Echo.class},
    immediate = true,
    property = {"osgi.command.scope=echo", "osgi.command.function=say"})
public final class Echo implements IbClient {
  private final Map<IbDevice, Link> links = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "echo";
  }

  @Override
  public Object add(IbDevice device) {
    Link link = new Link(device); // when it throws, the midlayer destroys what was made
    links.put(device, link);
    return link;
  }

  @Override
  public void remove(IbDevice device, Object clientData) {
    links.remove(device);
    ((Link) clientData).close(); // waits for a text that is under way
  }

  /**
   * Sends a text on each device.
   *
   * @param text at most {@value Link#MAX_BYTES} bytes of UTF-8
   * @return what arrived, by the name of the device
   * @throws IllegalArgumentException when the text is too long
   */
  public Map<String, String> say(String text) {
    return links.entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().name(), e -> e.getValue().say(text)));
  }
}
