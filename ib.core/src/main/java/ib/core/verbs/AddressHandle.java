package ib.core.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * An address handle: where a datagram goes. All methods may be called from any context (S2-S5).
 *
 * <p>Closing a handle right after a post is right: the driver keeps what posted requests need (S5).
 */
public abstract non-sealed class AddressHandle extends IbObject {
  private static final ValueLayout.OfLong BE_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt BE_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /**
   * For drivers.
   *
   * @param control the core's book
   */
  protected AddressHandle(ObjectControl control) {
    super(control);
  }

  /** {@return the address (S4)} */
  @AnyContext
  public abstract AhAttr query();

  /**
   * Changes the address; requests posted before keep the old one (S3).
   *
   * @param attr the new address, on the same port
   */
  @AnyContext
  public final void modify(AhAttr attr) {
    control().enterAnyContext("modify");
    control().given(attr, "modify", "attr");
    try { // no lambda: any context
      doModify(attr);
    } catch (OutOfMemoryError e) {
      throw IbNoMemoryException.of(this + ".modify", e);
    }
  }

  /** Destroys the handle without sleeping (S5). */
  @Override
  @AnyContext
  public final void close() {
    control().destroy();
  }

  /** {@inheritDoc} From any context, unlike other objects (S5): never sleeps. */
  @Override
  @AnyContext
  protected abstract void doDestroy();

  @Override
  final void destroyNow() {
    doDestroy();
    released();
  }

  /**
   * Changes the address.
   *
   * @param attr the new address
   */
  protected abstract void doModify(AhAttr attr);

  /**
   * The address that answers a received datagram (IBA 11.2.2.1, kernel: ib_init_ah_attr_from_wc).
   *
   * @param device where it arrived
   * @param wc the completion of the receive
   * @param grh the first 40 bytes of the receive buffer; read when {@link WcFlags#GRH} is set
   * @param port the port it arrived on
   * @return the attributes of an address handle
   * @throws IbInvalidException when the GID it was sent to is not one of the port
   */
  @AnyContext
  public static AhAttr answer(
      IbDevice device, WorkCompletion wc, @Nullable MemorySegment grh, int port) {
    IbInvalidException.given(device, "createAhFromCompletion", "device");
    IbInvalidException.given(wc, "createAhFromCompletion", "wc");
    if ((wc.wcFlags() & WcFlags.GRH) == 0) {
      return new AhAttr(wc.slid(), wc.sl(), wc.dlidPathBits(), 0, port, null);
    }
    if (grh == null || grh.byteSize() < WellKnown.GRH_BYTES) {
      throw new IbInvalidException(
          "createAhFromCompletion",
          "the completion has a GRH but no 40 bytes of it were given",
          "the first 40 bytes of the receive buffer");
    }
    int word = grh.get(BE_INT, 0);
    boolean four = word >>> 28 != 6; // IBA annex A17.4.5.1: 20 bytes, then the IPv4 header
    Gid source = four ? mapped(grh, 32) : new Gid(grh.get(BE_LONG, 8), grh.get(BE_LONG, 16));
    Gid destination = four ? mapped(grh, 36) : new Gid(grh.get(BE_LONG, 24), grh.get(BE_LONG, 32));
    int index =
        destination.isMulticast() ? any(device, port, four) : device.findGid(port, destination);
    if (index < 0) {
      throw new IbInvalidException(
          "createAhFromCompletion",
          destination + " is not a GID of port " + port,
          "the right port");
    }
    GlobalRoute route =
        four
            ? new GlobalRoute(source, 0, index, 255, grh.get(BE_INT, 20) >>> 16 & 0xff)
            : new GlobalRoute(source, word & 0xfffff, index, 255, word >>> 20 & 0xff);
    return new AhAttr(wc.slid(), wc.sl(), wc.dlidPathBits(), 0, port, route);
  }

  private static Gid mapped(MemorySegment grh, long at) {
    return new Gid(0, 0xffffL << 32 | grh.get(BE_INT, at) & 0xffffffffL);
  }

  /** A group was asked for, so the answer may come from any GID of its kind. */
  private static int any(IbDevice device, int port, boolean four) {
    if (four) {
      for (int i = 0; i < device.port(port).gidTableLen(); i++) {
        if (device.gid(port, i).isIpv4Mapped()) {
          return i;
        }
      }
    }
    return 0;
  }
}
