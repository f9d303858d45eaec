package ib.driver.soft.sma;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.Smp;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Hands each MAD to the agent of the node that the MAD is for. Guarded by the fabric's monitor. */
public final class Agents {
  private static final int GET = 0x01;
  private static final int SET = 0x02;
  private static final int CLASS_SA = 0x03;
  private static final int CLASS_PERFORMANCE = 0x04;
  private static final int CLASS_PING = 0x32; // OpenIB's ping, a vendor class with OUI
  private static final long OUI_OPENIB = 0x001405;
  private static final int PING = 0x01;
  private static final int SM_INFO = 0x20;

  private final Sma sma;
  private final Pma pma = new Pma();

  /**
   * Makes the agents of all nodes of a subnet.
   *
   * @param sma the subnet management agent
   */
  public Agents(Sma sma) {
    this.sma = sma;
  }

  /**
   * Returns whether the agents of a node answer a MAD, and not software on the node.
   *
   * @param mad 256 bytes
   * @return whether to call {@link #answer}
   */
  public static boolean concerns(MemorySegment mad) {
    int method = Smp.METHOD.in(mad);
    boolean request = method == GET || method == SET;
    return switch (Smp.MGMT_CLASS.in(mad)) {
      case Smp.CLASS_LID, Smp.CLASS_DIRECTED -> request && Smp.ATTRIBUTE_ID.in(mad) != SM_INFO;
      case CLASS_PERFORMANCE -> request;
      case CLASS_PING -> method == PING && oui(mad) == OUI_OPENIB;
      default -> false;
    };
  }

  /**
   * Makes the response to a Get or Set of a class that no agent of the node handles (IBA 13.4.5,
   * 13.4.7). Requests for subnet management and administration get no response, because the
   * requester may be early or late.
   *
   * @param mad 256 bytes, not changed
   * @return the response, or null when there is none
   */
  public static @Nullable MemorySegment refusal(MemorySegment mad) {
    int method = Smp.METHOD.in(mad);
    int mgmtClass = Smp.MGMT_CLASS.in(mad);
    boolean subnet = mgmtClass == Smp.CLASS_LID || mgmtClass == Smp.CLASS_DIRECTED;
    if (method != GET && method != SET || subnet || mgmtClass == CLASS_SA) {
      return null;
    }
    MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(mad);
    Smp.METHOD.set(reply, GET | 0x80);
    MadField.write(reply, 32, 16, Status.BAD_VERSION);
    return reply;
  }

  private static long oui(MemorySegment mad) {
    return MadField.read(mad, 37 * 8, 24);
  }

  /**
   * Answers a MAD.
   *
   * @param at the port at which the MAD arrived
   * @param mad 256 bytes, not changed
   * @param slid the source LID of the MAD
   * @return the response, or null when there is none
   */
  public @Nullable MemorySegment answer(NodePort at, MemorySegment mad, int slid) {
    return switch (Smp.MGMT_CLASS.in(mad)) {
      case Smp.CLASS_LID, Smp.CLASS_DIRECTED -> sma.answer(at, mad, slid);
      case CLASS_PERFORMANCE -> pma.answer(at, mad);
      case CLASS_PING -> ping(at, mad);
      default -> null;
    };
  }

  /** Makes the response of {@code ibping -S}, which has the host's name. */
  private static MemorySegment ping(NodePort at, MemorySegment mad) {
    MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(mad);
    Smp.METHOD.set(reply, PING | 0x80);
    byte[] name = at.node().description().getBytes(StandardCharsets.UTF_8);
    MemorySegment data = reply.asSlice(40, 216);
    data.fill((byte) 0);
    MemorySegment.copy(name, 0, data, ValueLayout.JAVA_BYTE, 0, Math.min(name.length, 64));
    return reply;
  }
}
