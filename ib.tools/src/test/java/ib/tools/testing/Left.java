package ib.tools.testing;

import ib.core.client.ClientStatus;
import ib.core.client.IbCore;
import ib.core.client.ResourceRecord;
import java.util.List;
import java.util.Set;

/**
 * What tools have left behind: the core's own clients, and what they made, are not counted (M1).
 */
public final class Left {
  private static final Set<String> OWN = Set.of("mad", "sa");

  private Left() {}

  /** {@return objects that the core did not make itself} */
  public static List<ResourceRecord> resources(IbCore core) {
    return core.resources().stream().filter(r -> !r.owner().equals("ib_core")).toList();
  }

  /** {@return clients that are neither the core's own nor that of an open fabric} */
  public static List<ClientStatus> clients(IbCore core) {
    return core.clients().stream()
        .filter(c -> !OWN.contains(c.name()) && !c.name().startsWith("user of "))
        .toList();
  }
}
