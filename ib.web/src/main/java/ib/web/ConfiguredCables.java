package ib.web;

import ib.core.client.LocalServices;
import ib.web.fabric.Cables;
import ib.web.page.RefusedException;
import java.io.IOException;
import java.util.Dictionary;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Cables of the soft fabric: the key {@code link} of a device's configuration. The file in {@code
 * conf/} stays as it is, and holds again when it is written the next time.
 */
@Component(service = Cables.class)
public final class ConfiguredCables implements Cables {
  private static final String SOFT = "(service.factoryPid=ib.driver.soft)";
  private static final String LINK = "link";
  private static final String NAME = "name";

  private final ConfigurationAdmin admin;

  /**
   * Called by DS.
   *
   * @param admin has the configurations
   */
  @Activate
  public ConfiguredCables(@Reference(target = LocalServices.ONLY) ConfigurationAdmin admin) {
    this.admin = admin;
  }

  @Override
  public boolean has(String device) {
    return find(device) != null;
  }

  @Override
  public void connect(String device, boolean in) {
    Configuration found = find(device);
    if (found == null) {
      throw new RefusedException(device + " has no cable that this page can pull");
    }
    Dictionary<String, Object> properties = found.getProperties();
    properties.put(LINK, in ? "up" : "down");
    try {
      found.update(properties);
    } catch (IOException e) {
      throw new RefusedException(
          "the configuration of " + device + " is not kept: " + e.getMessage());
    }
  }

  private @Nullable Configuration find(String device) {
    try {
      Configuration[] all = admin.listConfigurations(SOFT);
      for (Configuration each : all == null ? new Configuration[0] : all) {
        Object name = each.getProperties().get(NAME);
        String instance = each.getPid().replaceFirst("^[^~]*~", "");
        if (device.equals(name == null ? instance : name.toString())) {
          return each;
        }
      }
      return null;
    } catch (IOException e) {
      throw new RefusedException("the configurations cannot be read: " + e.getMessage());
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e); // the filter is a constant
    }
  }
}
