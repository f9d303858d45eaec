package ib.driver.soft.sma;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NoticeLayout;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;

/**
 * A trap that a node of the fabric sends (IBA table 131).
 *
 * @param number of the trap
 * @param type 1 urgent, 2 security, 4 informational
 * @param details writes the details of this trap into the 64 bytes of the notice
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
     * Writes the details.
     *
     * @param notice 64 bytes
     */
    void write(MemorySegment notice);
  }

  /**
   * Makes trap 128: a port of a switch has changed its state.
   *
   * @param lid LID of the switch
   * @return the trap
   */
  public static Trap linkState(int lid) {
    return new Trap(128, URGENT, n -> NoticeLayout.DETAILS_LID.set(n, lid));
  }

  /**
   * Makes trap 129: the packets of a link have had too many errors. Traps 130 and 131 do not exist
   * here, because the medium has neither buffers that overrun nor link credits.
   *
   * @param port the port at which the packets arrived
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
   * Makes trap 144: the capability mask or the node description has changed.
   *
   * @param port a port of the node
   * @param description whether the node description has changed
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
   * Makes trap 144: the priority of the subnet manager has changed.
   *
   * @param port the port at which the subnet manager runs
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
   * Makes trap 256: an SMP had a wrong M_Key.
   *
   * @param lid LID of the port
   * @param mad the SMP
   * @param slid source LID of the SMP
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
   * Makes trap 257 or 258: a packet had a wrong P_Key, or a wrong Q_Key.
   *
   * @param number 257 or 258
   * @param offence the headers of the packet
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
          writeEnds(n, DETAILS + 80, offence);
        });
  }

  /**
   * Makes trap 259: a switch has dropped a packet because of the P_Key of the packet.
   *
   * @param at port of the switch
   * @param offence the headers of the packet
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
          writeEnds(n, DETAILS + 64, offence);
          MadField.write(n, DETAILS + 384, 16, lid);
          MadField.write(n, DETAILS + 400, 8, at.number());
        });
  }

  /** Writes SL, QP1, QP2, GIDADDR1 and GIDADDR2, which 257 to 259 have alike (IBA 14.2.5.1). */
  private static void writeEnds(MemorySegment n, int at, Offence offence) {
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
   * Makes the notice of this trap.
   *
   * @param from the port that sends the trap
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
