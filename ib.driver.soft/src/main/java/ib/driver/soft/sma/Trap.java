package ib.driver.soft.sma;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.Notice;
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
  private static final int URGENT = 1;
  private static final int SECURITY = 2;
  private static final int INFORMATIONAL = 4;
  private static final int DETAILS = 10 * 8; // bits before the details

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
    return new Trap(128, URGENT, n -> Notice.DETAILS_LID.set(n, lid));
  }

  /**
   * Traps 129 to 131: a link has too many errors, too many overruns, a stalled flow control.
   *
   * @param number of the trap
   * @param port where
   * @return the trap
   */
  public static Trap link(int number, NodePort port) {
    int lid = port.node().managed(port).lid();
    return new Trap(
        number,
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
        256,
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
   * @param port that received it
   * @param slid where it came from
   * @param key the key
   * @param sourceQpn who sent it
   * @param destQpn to whom
   * @return the trap
   */
  public static Trap key(int number, NodePort port, int slid, int key, int sourceQpn, int destQpn) {
    return new Trap(
        number,
        SECURITY,
        n -> {
          MadField.write(n, DETAILS + 16, 16, slid);
          MadField.write(n, DETAILS + 32, 16, port.lid());
          MadField.write(n, DETAILS + 48, 32, key);
          MadField.write(n, DETAILS + 88, 24, sourceQpn);
          MadField.write(n, DETAILS + 120, 24, destQpn);
        });
  }

  /**
   * The notice.
   *
   * @param from the port that sends it
   * @return 64 bytes
   */
  public MemorySegment notice(NodePort from) {
    MemorySegment n = MemorySegment.ofArray(new byte[64]);
    Notice.GENERIC.set(n, 1);
    Notice.TYPE.set(n, type);
    Notice.PRODUCER_TYPE.set(n, from.node().isSwitch() ? 2 : 1);
    Notice.TRAP_NUMBER.set(n, number);
    Notice.ISSUER_LID.set(n, from.lid());
    details.write(n);
    return n;
  }
}
