package ib.driver.soft.sma;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NoticeLayout;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;

/**
 * The traps of IBA table 131 that nodes here send.
 *
 * @param number of the trap
 * @param type 1 urgent, 2 security, 4 informational
 * @param details writes what is particular, over the 64 bytes of the notice
 */
public record Trap(int number, int type, Details details) {
  private static final int MKEY = 256;
  private static final int URGENT = 1;
  private static final int SECURITY = 2;
  private static final int INFORMATIONAL = 4;
  private static final int DETAILS = 10 * 8; // bits before the details
  private static final int ALL_VALID = 0xf; // LIDs, P_Key, SL and QPs, GIDs

  /** Writes the details of a notice. */
  @FunctionalInterface
  public interface Details {
    /**
     * Writes them.
     *
     * @param notice 64 bytes
     */
    void write(MemorySegment notice);
  }

  /**
   * Trap 128: a port of a switch has changed its state.
   *
   * @param lid of the switch
   * @return the trap
   */
  public static Trap linkState(int lid) {
    return new Trap(128, URGENT, n -> NoticeLayout.DETAILS_LID.set(n, lid));
  }

  /**
   * Trap 129: the packets of a link have had too many errors. There is no 130 and no 131, since the
   * medium has neither buffers that overrun nor credits that do not come.
   *
   * @param port where
   * @return the trap
   */
  public static Trap integrity(NodePort port) {
    int lid = port.node().managed(port).lid();
    return new Trap(
        129,
        URGENT,
        n -> {
          MadField.write(n, DETAILS + 16, 16, lid);
          MadField.write(n, DETAILS + 32, 8, port.number());
        });
  }

  /**
   * Trap 144: the capability mask or the description has changed.
   *
   * @param port where
   * @param description whether it was the description
   * @return the trap
   */
  public static Trap capabilities(NodePort port, boolean description) {
    return new Trap(
        144,
        INFORMATIONAL,
        n -> {
          MadField.write(n, DETAILS + 16, 16, port.lid());
          MadField.write(n, DETAILS + 48, 32, port.capabilities());
          MadField.write(n, DETAILS + 80 + 15, 1, description ? 1 : 0);
        });
  }

  /**
   * Trap 144: the priority of the subnet manager has changed.
   *
   * @param port where it runs
   * @return the trap
   */
  public static Trap priority(NodePort port) {
    return new Trap(
        144,
        INFORMATIONAL,
        n -> {
          capabilities(port, false).details().write(n);
          MadField.write(n, DETAILS + 47, 1, 1); // other local changes, IBA 13.4.9
          MadField.write(n, DETAILS + 80 + 12, 1, 1);
        });
  }

  /**
   * Trap 256: an SMP had a wrong M_Key.
   *
   * @param lid of the port
   * @param mad the SMP
   * @param slid where it came from
   * @return the trap
   */
  public static Trap mkey(int lid, MemorySegment mad, int slid) {
    MemorySegment head = MemorySegment.ofArray(new byte[32]);
    MemorySegment.copy(mad, 0, head, 0, 32);
    return new Trap(
        MKEY,
        SECURITY,
        n -> {
          MadField.write(n, DETAILS + 16, 16, lid);
          MadField.write(n, DETAILS + 32, 16, slid);
          MadField.write(n, DETAILS + 64, 8, MadField.read(head, 24, 8));
          MadField.write(n, DETAILS + 80, 16, MadField.read(head, 128, 16));
          MadField.write(n, DETAILS + 96, 32, MadField.read(head, 160, 32));
          MadField.write(n, DETAILS + 128, 64, MadField.read(head, 192, 64));
        });
  }

  /**
   * Traps 257 and 258: a packet had a wrong P_Key, or a wrong Q_Key.
   *
   * @param number of the trap
   * @param offence what the packet said
   * @return the trap
   */
  public static Trap key(int number, Offence offence) {
    return new Trap(
        number,
        SECURITY,
        n -> {
          MadField.write(n, DETAILS + 16, 16, offence.slid);
          MadField.write(n, DETAILS + 32, 16, offence.dlid);
          MadField.write(n, DETAILS + 48, 32, offence.key);
          ends(n, DETAILS + 80, offence);
        });
  }

  /**
   * Trap 259: a switch has not let a packet pass for its P_Key.
   *
   * @param at port of the switch
   * @param offence what the packet said
   * @return the trap
   */
  public static Trap switchPkey(NodePort at, Offence offence) {
    int lid = at.node().managed(at).lid();
    return new Trap(
        259,
        SECURITY,
        n -> {
          MadField.write(n, DETAILS, 16, ALL_VALID);
          MadField.write(n, DETAILS + 16, 16, offence.slid);
          MadField.write(n, DETAILS + 32, 16, offence.dlid);
          MadField.write(n, DETAILS + 48, 16, offence.key);
          ends(n, DETAILS + 64, offence);
          MadField.write(n, DETAILS + 384, 16, lid);
          MadField.write(n, DETAILS + 400, 8, at.number());
        });
  }

  /** SL, QP1, QP2, GIDADDR1, GIDADDR2: the same in 257 to 259 (IBA 14.2.5.1). */
  private static void ends(MemorySegment n, int at, Offence offence) {
    MadField.write(n, at, 4, offence.sl);
    MadField.write(n, at + 8, 24, offence.sourceQpn);
    MadField.write(n, at + 40, 24, offence.destQpn);
    MadField.write(n, at + 64, 64, offence.sgidHigh);
    MadField.write(n, at + 128, 64, offence.sgidLow);
    MadField.write(n, at + 192, 64, offence.dgidHigh);
    MadField.write(n, at + 256, 64, offence.dgidLow);
  }

  /**
   * Returns the subject of the trap for a report; for an M_Key trap the sender of the wrong key.
   *
   * @param from the port that sends the trap
   * @return the subject in words
   */
  public String about(NodePort from) {
    String which = "trap " + number + " of " + from;
    long slid = MadField.read(notice(from), DETAILS + 32, 16);
    return number == MKEY ? "LID " + slid + ": " + which : which;
  }

  /**
   * The notice.
   *
   * @param from the port that sends it
   * @return 64 bytes
   */
  public MemorySegment notice(NodePort from) {
    MemorySegment n = MemorySegment.ofArray(new byte[64]);
    NoticeLayout.GENERIC.set(n, 1);
    NoticeLayout.TYPE.set(n, type);
    NoticeLayout.PRODUCER_TYPE.set(n, from.node().isSwitch() ? 2 : 1);
    NoticeLayout.TRAP_NUMBER.set(n, number);
    NoticeLayout.ISSUER_LID.set(n, from.lid());
    details.write(n);
    return n;
  }
}
