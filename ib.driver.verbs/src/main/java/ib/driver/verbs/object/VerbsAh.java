package ib.driver.verbs.object;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.ObjectControl;
import ib.driver.verbs.abi.Frame;
import java.lang.foreign.MemorySegment;

/** An address handle. C cannot change one, so a change makes another one of C. */
final class VerbsAh extends AddressHandle {
  private final VerbsPd pd;
  private volatile AhAttr attr;
  private volatile NativeAh now;

  VerbsAh(ObjectControl control, VerbsPd pd, AhAttr attr) {
    super(control);
    this.pd = pd;
    this.now = make(attr);
    this.attr = attr;
  }

  private NativeAh make(AhAttr wanted) {
    VerbsContext context = pd.context;
    NativeAh.bury(context, pd.dead);
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(AhAttrs.BYTES);
      AhAttrs.write(c, 0, wanted);
      long made =
          context.make(frame, "createAh", context.library.createAh, pd.address, c.address());
      return new NativeAh(made, pd.dead);
    }
  }

  /**
   * {@return the handle of C with a count for the caller; null when it has gone, or is not of that
   * domain}
   */
  @org.jspecify.annotations.Nullable
  NativeAh acquire(long domain) {
    NativeAh ah = now;
    return domain == pd.address && ah.acquire() ? ah : null;
  }

  @Override
  public AhAttr query() {
    return attr;
  }

  @Override
  protected synchronized void doModify(AhAttr wanted) {
    if (wanted.port() != attr.port()) {
      throw new IbInvalidException(this + ".modify", "another port", "port " + attr.port());
    }
    NativeAh before = now;
    now = make(wanted);
    attr = wanted;
    before.release();
    NativeAh.bury(pd.context, pd.dead);
  }

  @Override
  protected void doDestroy() {
    now.release();
    NativeAh.bury(pd.context, pd.dead);
  }
}
