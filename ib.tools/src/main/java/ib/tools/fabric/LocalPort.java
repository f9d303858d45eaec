package ib.tools.fabric;

import ib.core.client.IbCore;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PortState;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;

/**
 * The local port that a command sends from.
 *
 * @param device device name
 * @param number from 1
 */
record LocalPort(String device, int number) {
  /**
   * Returns the port that {@code -C} and {@code -P} name, else the first active InfiniBand port, as
   * libibumad does. A device whose QP1 belongs to the kernel of the host has none.
   *
   * @param core the core
   * @param command name of the command, for messages
   * @param line options {@code Ca} and {@code Port}
   * @return the port
   * @throws CommandException when there is none
   */
  static LocalPort of(IbCore core, String command, Parsed line) {
    String ca = line.last("Ca");
    String kernels = "";
    int number = line.number("Port", 0, 0, 254);
    for (DeviceInfo d : core.devices()) {
      IbDevice device = core.device(d.name()).orElse(null);
      if (device == null || ca != null && !d.name().equals(ca)) {
        continue;
      }
      if (!device.has(Cap.GSI)) {
        kernels =
            "; QP0 and QP1 of %s belong to the kernel of the host, whose own %s reaches them"
                .formatted(d.name(), command);
        continue;
      }
      for (int n = 1; n <= d.portCount(); n++) {
        boolean ib = device.port(n).linkLayer() == LinkLayer.INFINIBAND;
        boolean active = device.port(n).state() == PortState.ACTIVE;
        if (ib && (number == n || number == 0 && active)) {
          return new LocalPort(d.name(), n);
        }
      }
    }
    String what = (ca == null ? "(null)" : ca) + "' port '" + number + "'";
    String why = "Failed to open '" + what + " (InfiniBand only)" + kernels;
    throw CommandException.iberror(command, why, null);
  }
}
