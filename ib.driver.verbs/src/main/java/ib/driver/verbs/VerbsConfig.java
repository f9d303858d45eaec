package ib.driver.verbs;

import ib.driver.base.DeviceConfig;

/**
 * A device of ib on a device of the host.
 *
 * @param name name in ib
 * @param device name in the kernel
 * @param guid node GUID if it was configured, else 0: that of the kernel's device
 */
record VerbsConfig(String name, String device, long guid) implements DeviceConfig<VerbsConfig> {
  @Override
  public boolean liveChangeOf(VerbsConfig running) {
    return equals(running);
  }

  /** The midlayer refuses two devices with one GUID; those of the kernel are known to it alone. */
  @Override
  public boolean sharesGuidWith(VerbsConfig other) {
    return guid != 0 && guid == other.guid;
  }
}
