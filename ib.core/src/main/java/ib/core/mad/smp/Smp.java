package ib.core.mad.smp;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The fields of a subnet management packet beside the common header (IBA 14.2.1): for both classes
 * the M_Key and 64 bytes of data, for directed routes the hops. Offsets count from the MAD's first
 * byte.
 */
public enum Smp implements MadField {
  /** Common header: management class. */
  MGMT_CLASS("MgmtClass", 8, 8),
  /** Common header: response bit and method. */
  METHOD("Method", 24, 8),
  /** Directed route: set on the way back. */
  DIRECTION("DrDirection", 32, 1),
  /** The status without the direction bit. */
  STATUS("Status", 33, 15),
  /** Directed route: the hop that the SMP is at. */
  HOP_POINTER("HopPointer", 48, 8),
  /** Directed route: how many hops there are. */
  HOP_COUNT("HopCount", 56, 8),
  /** Common header: transaction identifier. */
  TRANSACTION_ID("TransID", 64, 64),
  /** Common header: attribute identifier. */
  ATTRIBUTE_ID("AttrID", 128, 16),
  /** Common header: attribute modifier. */
  ATTRIBUTE_MODIFIER("AttrMod", 160, 32),
  /** Management key. */
  M_KEY("MKey", 192, 64),
  /** Directed route: LID of the source, 0xFFFF when the route begins there. */
  DR_SLID("DrSmpSLID", 256, 16),
  /** Directed route: LID of the destination, 0xFFFF when the route ends there. */
  DR_DLID("DrSmpDLID", 272, 16);

  /** Management class of SMPs that are routed by LID. */
  public static final int CLASS_LID = 0x01;

  /** Management class of SMPs on a directed route. */
  public static final int CLASS_DIRECTED = 0x81;

  /** Where the data of an SMP begins, and the length of that data. */
  public static final int DATA = 64;

  /** The permissive LID: every port that receives the packet accepts it. */
  public static final int PERMISSIVE_LID = 0xFFFF;

  /** Most hops of a directed route. */
  public static final int MAX_HOPS = 63;

  private static final int INITIAL_PATH = 128;
  private static final int RETURN_PATH = 192;

  private final Row row;

  Smp(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }

  /**
   * The attribute that an SMP carries.
   *
   * @param mad 256 bytes
   * @return its 64 bytes of data, a view
   */
  public static MemorySegment data(MemorySegment mad) {
    return mad.asSlice(DATA, DATA);
  }

  /**
   * A hop of the way there.
   *
   * @param mad 256 bytes
   * @param hop 1 to 63; 0 is reserved
   * @return the port to leave by
   */
  public static int initialPath(MemorySegment mad, int hop) {
    return (int) MadField.read(mad, (INITIAL_PATH + checked(hop)) * 8, 8);
  }

  /**
   * Sets a hop of the way there.
   *
   * @param mad 256 bytes
   * @param hop 1 to 63; 0 is reserved
   * @param port the port to leave by
   */
  public static void initialPath(MemorySegment mad, int hop, int port) {
    MadField.write(mad, (INITIAL_PATH + checked(hop)) * 8, 8, port);
  }

  /**
   * A hop of the way back.
   *
   * @param mad 256 bytes
   * @param hop 1 to 63; 0 is reserved
   * @return the port that the SMP came in by
   */
  public static int returnPath(MemorySegment mad, int hop) {
    return (int) MadField.read(mad, (RETURN_PATH + checked(hop)) * 8, 8);
  }

  /**
   * Sets a hop of the way back.
   *
   * @param mad 256 bytes
   * @param hop 1 to 63; 0 is reserved
   * @param port the port that the SMP came in by
   */
  public static void returnPath(MemorySegment mad, int hop, int port) {
    MadField.write(mad, (RETURN_PATH + checked(hop)) * 8, 8, port);
  }

  /** Reads and writes nothing but hops, whatever a datagram says. */
  private static int checked(int hop) {
    return Objects.checkIndex(hop, MAX_HOPS + 1);
  }
}
