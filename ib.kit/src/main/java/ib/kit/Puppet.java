package ib.kit;

import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client whose add and remove do only what a case sets. */
final class Puppet implements IbClient {
  private final String name;
  private final String device;
  private final Consumer<IbDevice> add;
  private final Consumer<IbDevice> remove;

  Puppet(String name, String device, Consumer<IbDevice> add, Consumer<IbDevice> remove) {
    this.name = name;
    this.device = device;
    this.add = add;
    this.remove = remove;
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
    add.accept(handle);
    return null;
  }

  @Override
  public void remove(IbDevice handle, @Nullable Object data) {
    remove.accept(handle);
  }
}
