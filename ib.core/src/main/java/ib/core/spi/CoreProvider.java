package ib.core.spi;

import java.util.Map;

/** Makes midlayers for {@link StandaloneCore#create}: the core's own service, for its own use. */
public interface CoreProvider {
  /**
   * Makes a midlayer.
   *
   * @param configuration keys of {@code ib.core.cfg}
   * @return the midlayer, without devices and clients
   * @throws ib.core.verbs.IbInvalidException which key, what is wrong, what is allowed
   */
  StandaloneCore create(Map<String, ?> configuration);
}
