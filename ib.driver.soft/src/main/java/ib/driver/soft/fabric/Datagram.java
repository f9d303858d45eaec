package ib.driver.soft.fabric;

import ib.core.mad.MadSource;
import ib.core.mad.smp.MadField;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.wire.MadHeader;
import java.lang.foreign.MemorySegment;

/**
 * A management datagram in the fabric, with the addresses of its headers. Only one thread at a time
 * uses a datagram.
 */
public final class Datagram {
  /** The 256 bytes of the datagram, which no other datagram shares. */
  public final MemorySegment mad;

  /** The source LID, 0xFFFF on a directed route. */
  public int slid;

  /** The destination LID, 0xFFFF on a directed route. */
  public int dlid;

  /** The queue pair that has sent the datagram: 0, 1, or a queue pair of software. */
  public int sourceQpn;

  /** The queue pair that gets the datagram: 0, 1, or a queue pair of software. */
  public int destQpn;

  /** The service level. */
  public int sl;

  /**
   * Makes a datagram, to which the bytes belong from now on.
   *
   * @param mad 256 bytes
   */
  public Datagram(MemorySegment mad) {
    this.mad = mad;
  }

  /**
   * Makes an SMP of the LID-routed class.
   *
   * @param method the method
   * @param attribute the attribute
   * @param tid the transaction ID
   * @return 256 bytes
   */
  public static MemorySegment smp(int method, SmpAttribute attribute, long tid) {
    MemorySegment mad = MemorySegment.ofArray(new byte[256]);
    MadField.write(mad, 0, 8, 1);
    Smp.MGMT_CLASS.set(mad, Smp.CLASS_LID);
    MadField.write(mad, 16, 8, 1);
    Smp.METHOD.set(mad, method);
    Smp.TRANSACTION_ID.set(mad, tid);
    Smp.ATTRIBUTE_ID.set(mad, attribute.id());
    return mad;
  }

  /**
   * Makes a datagram that a port sends to itself.
   *
   * @param mad 256 bytes, not changed
   * @param source the addresses of the sender
   * @return the datagram
   */
  public static Datagram toItself(MemorySegment mad, MadSource source) {
    Datagram d = new Datagram(MemorySegment.ofArray(new byte[MadHeader.MAD_BYTES]).copyFrom(mad));
    d.slid = source.slid();
    d.dlid = source.slid();
    d.sourceQpn = source.srcQp();
    d.destQpn = source.srcQp();
    d.sl = source.sl();
    return d;
  }

  /**
   * Makes the response to this datagram, with source and destination exchanged.
   *
   * @param bytes the response, 256 bytes
   * @return the datagram
   */
  public Datagram reply(MemorySegment bytes) {
    Datagram back = new Datagram(bytes);
    back.slid = dlid;
    back.dlid = slid;
    back.sourceQpn = destQpn;
    back.destQpn = sourceQpn;
    back.sl = sl;
    return back;
  }

  /** {@return a copy with bytes of its own} */
  public Datagram copy() {
    Datagram c = new Datagram(MemorySegment.ofArray(new byte[MadHeader.MAD_BYTES]).copyFrom(mad));
    c.slid = slid;
    c.dlid = dlid;
    c.sourceQpn = sourceQpn;
    c.destQpn = destQpn;
    c.sl = sl;
    return c;
  }

  /** {@return whether this is an SMP of the directed-route class} */
  public boolean directed() {
    return Smp.MGMT_CLASS.in(mad) == Smp.CLASS_DIRECTED;
  }

  /** {@return whether this is a response} */
  public boolean response() {
    return (Smp.METHOD.in(mad) & 0x80) != 0;
  }

  /** {@return the source and the kind of the datagram, for reports} */
  @Override
  public String toString() {
    return String.format(
        "QP 0x%06x of LID %d to QP 0x%06x of LID %d, class 0x%02x",
        sourceQpn, slid, destQpn, dlid, Smp.MGMT_CLASS.in(mad));
  }
}
