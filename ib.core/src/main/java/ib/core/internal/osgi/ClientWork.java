package ib.core.internal.osgi;

import ib.core.client.IbClient;
import ib.core.config.ConfigValues;
import ib.core.internal.Midlayer;
import ib.core.internal.hotplug.ClientEntry;
import ib.core.verbs.IbException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
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
  public @Nullable String name(IbClient service) {
    return service.name();
  }

  @Override
  public void inspect(
      ServiceReference<IbClient> reference, IbClient service, String bundle, String name) {
    checkAfter(reference, bundle, name);
    midlayer.clientSide().know(name, bundle);
  }

  private static void checkAfter(ServiceReference<IbClient> reference, Object bundle, String name) {
    Object after = reference.getProperty(IbClient.AFTER);
    if (after != null && !isNames(after)) {
      LOG.error(
          "client {} of bundle {}: property {} is {} and is ignored. Try: a String, String[]"
              + " or list of client names",
          name,
          bundle,
          IbClient.AFTER,
          ConfigValues.shown(after));
    }
  }

  private static boolean isNames(Object property) {
    return switch (property) {
      case String[] many -> Arrays.stream(many).allMatch(Objects::nonNull);
      case Collection<?> many -> many.stream().allMatch(Objects::nonNull);
      default -> property instanceof String;
    };
  }

  @Override
  public ClientEntry announce(ServiceReference<IbClient> reference, IbClient service, String name) {
    Long rank = (Long) reference.getProperty(Constants.SERVICE_ID);
    return midlayer
        .clientSide()
        .announce(service, name, names(reference.getProperty(IbClient.AFTER)), rank);
  }

  @Override
  public void refused(String bundle, String name, IbException why) {
    Throwable cause = why.getCause(); // its stack follows, where there is one
    LOG.error("a client of bundle {} is refused: {}", bundle, ServiceGate.text(why), cause);
  }

  /** {@return the names in a property; none when it is no text and no list of names} */
  static List<String> names(@Nullable Object property) {
    if (property == null || !isNames(property)) {
      return List.of();
    }
    return switch (property) {
      case String[] many -> List.of(many);
      case Collection<?> many -> many.stream().map(String::valueOf).toList();
      default -> List.of(property.toString().split("\\s*,\\s*"));
    };
  }

  @Override
  public void change(String bundle, String how, Runnable what) {
    midlayer.arrivals().on(bundle, "an IbClient service was " + how, what);
  }

  @Override
  public void arrive(ClientEntry entry) {
    midlayer.clientSide().attach(entry);
  }

  /**
   * Considers the client again, which a change of its properties requests (CC-5). A change of
   * {@link IbClient#AFTER} counts for the adds from now on.
   */
  @Override
  public void modified(ServiceReference<IbClient> reference, ClientEntry entry) {
    checkAfter(reference, reference.getBundle(), entry.name());
    midlayer.clientSide().after(entry, names(reference.getProperty(IbClient.AFTER)));
    midlayer.clientSide().rebind(entry);
  }

  @Override
  public void leave(ClientEntry entry) {
    midlayer.clientSide().remove(entry);
  }
}
