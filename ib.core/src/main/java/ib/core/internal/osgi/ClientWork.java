package ib.core.internal.osgi;

import ib.core.client.IbClient;
import ib.core.internal.Midlayer;
import ib.core.internal.hotplug.ClientEntry;
import ib.core.verbs.IbException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code IbClient} services become clients; their place is their {@code service.id} (S39). */
final class ClientWork implements ServiceGate.Work<IbClient, ClientEntry> {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private final Midlayer midlayer;

  ClientWork(Midlayer midlayer) {
    this.midlayer = midlayer;
  }

  @Override
  public String name(ServiceReference<IbClient> reference, IbClient service) {
    Object after = reference.getProperty(IbClient.AFTER);
    if (after instanceof Number || after instanceof Boolean) {
      LOG.error("{} is ignored: {} is no text", IbClient.AFTER, after);
    }
    return service.name();
  }

  @Override
  public ClientEntry announce(ServiceReference<IbClient> reference, IbClient service, String name) {
    Long rank = (Long) reference.getProperty(Constants.SERVICE_ID);
    return midlayer.announce(service, name, names(reference.getProperty(IbClient.AFTER)), rank);
  }

  @Override
  public void refused(ServiceReference<IbClient> reference, String name, IbException why) {
    Throwable cause = why.getCause(); // its stack follows, where there is one
    LOG.error("a client of {} is refused: {}", reference.getBundle(), why.getMessage(), cause);
  }

  /** {@return the names in a property; none when it is neither text nor a list} */
  static List<String> names(@Nullable Object property) {
    return switch (property) {
      case String[] many -> List.of(many);
      case Collection<?> many -> many.stream().map(String::valueOf).toList();
      case String text -> List.of(text.split("\\s*,\\s*"));
      case null -> List.of();
      default -> List.of();
    };
  }

  @Override
  public void change(ServiceReference<IbClient> reference, String how, Runnable what) {
    midlayer.arrivals().on(ServiceGate.bundle(reference), "an IbClient service was " + how, what);
  }

  @Override
  public void arrive(ClientEntry entry) {
    midlayer.attach(entry);
  }

  /** Considers the client again, which a change of its properties requests (CC-5). */
  @Override
  public void modified(ServiceReference<IbClient> reference, ClientEntry entry) {
    midlayer.rebind(entry);
  }

  @Override
  public void leave(ClientEntry entry) {
    midlayer.remove(entry);
  }
}
