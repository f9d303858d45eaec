package ib.kit;

import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A client whose add and remove do only what a case sets. */
final class Puppet implements IbClient {
  private final String name;
  private final String device;
  private final BiConsumer<String, IbDevice> told;

  Puppet(String name, String device, BiConsumer<String, IbDevice> told) {
    this.name = name;
    this.device = device;
    this.told = told;
  }

  @Override
  public String name() {
    return Trial.OWNER + " " + name;
  }

  @Override
  public boolean supports(DeviceInfo info) {
    return info.name().equals(device);
  }

  @Override
  public @Nullable Object add(IbDevice handle) {
    told.accept("add " + name, handle);
    return null;
  }

  @Override
  public void remove(IbDevice handle, @Nullable Object data) {
    told.accept("remove " + name, handle);
  }
}
