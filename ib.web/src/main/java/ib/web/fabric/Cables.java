package ib.web.fabric;

/** Pulls and connects the cables of devices whose driver has cables. */
public interface Cables {
  /**
   * {@return whether the driver of a device has a cable that can be pulled}
   *
   * @param device device name
   */
  boolean has(String device);

  /**
   * Pulls or connects the cables of all ports of a device, until its configuration changes. Returns
   * before the driver has done it.
   *
   * @param device device name
   * @param in whether the cables are to be connected
   * @throws ib.web.page.RefusedException when the device has none
   */
  void connect(String device, boolean in);
}
