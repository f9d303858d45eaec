package ib.cm.rdma;

import ib.core.verbs.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Which GID has an address: the configured one, else the address itself. Immutable. */
final class AddressBook {
  private static final long IPV4_MAPPED = 0xffff_0000_0000L;
  private static final int IPV4_BYTES = 4;

  private final Map<InetAddress, Gid> gids;
  private final Map<Gid, InetAddress> addresses = new HashMap<>();

  AddressBook(Map<InetAddress, Gid> gids) {
    this.gids = Map.copyOf(gids);
    gids.forEach((address, gid) -> addresses.put(gid, address));
  }

  Gid gid(InetAddress address) {
    Gid configured = gids.get(address);
    return configured == null ? mapped(address) : configured;
  }

  private static Gid mapped(InetAddress address) {
    byte[] raw = address.getAddress();
    return raw.length == IPV4_BYTES
        ? new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(ByteBuffer.wrap(raw).getInt()))
        : Gid.of(raw);
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
