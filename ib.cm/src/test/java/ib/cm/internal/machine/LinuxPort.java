package ib.cm.internal.machine;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** The port that Linux had in the recordings, and the addresses there. */
record LinuxPort() implements Self {
  private static final List<Gid> GIDS =
      List.of(new Gid(0xfe80L << 48, 0x5054_00ff_fe77_0002L), new Gid(0, 0xffff_0a4d_0002L));

  @Override
  public long caGuid() {
    return 0x5054_00ff_fe77_0002L;
  }

  @Override
  public int port() {
    return 1;
  }

  @Override
  public boolean ethernet() {
    return true;
  }

  @Override
  public Mtu mtu() {
    return Mtu.MTU_1024;
  }

  @Override
  public Gid gid(int index) {
    return GIDS.get(index);
  }

  @Override
  public int gidIndex(Gid gid) {
    return GIDS.indexOf(gid);
  }

  @Override
  public long tid(int localId) {
    return 2L << 32 | Integer.reverseBytes(localId) & 0xffff_ffffL; // CM-3
  }

  static AhAttr way(String address) {
    return AhAttr.ofGid(1, new GlobalRoute(gid(address), 0, 1, 64, 0));
  }

  static Gid gid(String address) {
    byte[] raw = address(address).getAddress();
    long low = 0xffff;
    for (byte each : raw) {
      low = low << 8 | each & 0xff;
    }
    return new Gid(0, low);
  }

  static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
