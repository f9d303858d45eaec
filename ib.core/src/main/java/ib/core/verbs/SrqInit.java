package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * How to create a shared receive queue.
 *
 * @param attr capacities, at least 1 each, and limit
 * @param eventHandler hears {@link EventType#SRQ_LIMIT_REACHED} and {@link EventType#SRQ_ERR}, or
 *     null
 * @param context given to the handler
 */
public record SrqInit(SrqAttr attr, @Nullable EventHandler eventHandler, @Nullable Object context) {

  /** {@return these attributes as the driver gets them: with the checked event handler (S20)} */
  SrqInit guarded(ObjectControl control) {
    return new SrqInit(attr, control.guard(eventHandler), context);
  }

  void check(ProtectionDomain pd) {
    pd.control().given(attr, "createSrq", "attr");
    pd.device().requireCap(Cap.SRQ, "createSrq");
    DeviceAttr limits = pd.device().attrs();
    QpInit.range(
        pd.device(), "createSrq", "maxWr", attr.maxWr(), 1, limits.limit(Limit.MAX_SRQ_WR));
    QpInit.range(
        pd.device(), "createSrq", "maxSge", attr.maxSge(), 1, limits.limit(Limit.MAX_SRQ_SGE));
    QpInit.range(pd.device(), "createSrq", "srqLimit", attr.srqLimit(), 0, attr.maxWr());
  }
}
