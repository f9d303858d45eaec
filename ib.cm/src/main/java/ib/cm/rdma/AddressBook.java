package ib.cm.rdma;

import ib.core.verbs.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;

/** Which GID has an address: the configured one, else the address itself. Immutable. */
final class AddressBook {
  private final Map<InetAddress, Gid> gids;
  private final Map<Gid, InetAddress> addresses = new HashMap<>();

  AddressBook(Map<InetAddress, Gid> gids) {
    this.gids = Map.copyOf(gids);
    gids.forEach((address, gid) -> addresses.put(gid, address));
  }

  Gid gid(InetAddress address) {
    Gid configured = gids.get(address);
    return configured == null ? Gid.of(address) : configured;
  }

  InetAddress address(Gid gid) {
    InetAddress configured = addresses.get(gid);
    try {
      return configured == null ? InetAddress.getByAddress(gid.toBytes()) : configured;
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // only for another length
    }
  }
}
