package ib.driver.soft.ibsim;

import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.sma.Sma;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** {@code struct sim_ctl}: what a client asks about its own port, 80 bytes in the host's order. */
final class Control {
  static final int BYTES = 80;
  static final int MAGIC = 0xdeadbeef;
  static final int DATA = 16;
  static final int NODE_ID = DATA + 12;
  static final int NODE_ID_BYTES = 32;

  static final int CONNECT = 1;
  static final int DISCONNECT = 2;
  static final int SET_ISSM = 9;

  private static final int GET_PORT = 3;
  private static final int GET_VENDOR = 4;
  private static final int GET_GID = 5;
  private static final int GET_GUID = 6;
  private static final int GET_NODE_INFO = 7;
  private static final int GET_PORT_INFO = 8;
  private static final int GET_PKEYS = 10;
  private static final int VENDOR = 0x0002c9;
  private static final int PART = 0x5346;
  private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;

  private Control() {}

  static int type(ByteBuffer c) {
    return c.getInt(8);
  }

  static int client(ByteBuffer c) {
    return c.getInt(4);
  }

  /** The whole is answered by type 0 when something is wrong. */
  static void refuse(ByteBuffer c) {
    c.putInt(8, 0);
  }

  static String nodeId(ByteBuffer c) {
    int end = NODE_ID;
    while (end < NODE_ID + NODE_ID_BYTES && c.get(end) != 0) {
      end++;
    }
    byte[] text = new byte[end - NODE_ID];
    c.get(NODE_ID, text);
    return new String(text, StandardCharsets.UTF_8);
  }

  static void nodeId(ByteBuffer c, String name) {
    byte[] text = new byte[NODE_ID_BYTES];
    byte[] all = name.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(all, 0, text, 0, Math.min(all.length, NODE_ID_BYTES - 1));
    c.put(NODE_ID, text);
  }

  /** Answers a question about a port; false for one that is not known. */
  static boolean answer(ByteBuffer c, NodePort port) {
    int asked = c.get(DATA) & 0xff;
    switch (type(c)) {
      case GET_PORT -> {
        c.putShort(DATA, (short) port.lid());
        c.put(DATA + 2, (byte) port.state().value());
      }
      case GET_VENDOR -> {
        c.putInt(DATA, VENDOR);
        c.putInt(DATA + 4, PART);
        c.putInt(DATA + 8, 1);
        c.putLong(DATA + 16, 1);
      }
      case GET_GID -> {
        big(c).putLong(DATA, LINK_LOCAL).putLong(DATA + 8, port.guid());
        c.order(ByteOrder.nativeOrder());
      }
      case GET_GUID -> {
        big(c).putLong(DATA, port.guid());
        c.order(ByteOrder.nativeOrder());
      }
      default -> {
        return table(c, port, asked);
      }
    }
    return true;
  }

  private static ByteBuffer big(ByteBuffer c) {
    return c.order(ByteOrder.BIG_ENDIAN);
  }

  /** Attributes as an SMP would give them. */
  private static boolean table(ByteBuffer c, NodePort port, int asked) {
    SmpAttribute attribute =
        switch (type(c)) {
          case GET_NODE_INFO -> SmpAttribute.NODE_INFO;
          case GET_PORT_INFO -> SmpAttribute.PORT_INFO;
          case GET_PKEYS -> SmpAttribute.PKEY_TABLE;
          default -> null;
        };
    if (attribute == null) {
      return false;
    }
    Node node = port.node();
    boolean other = attribute == SmpAttribute.PORT_INFO && asked != 0 && node.port(asked) != null;
    MemorySegment data = MemorySegment.ofBuffer(c).asSlice(DATA, 64);
    data.fill((byte) 0);
    return Sma.get(port, attribute, other ? asked : 0, data) == 0;
  }
}
