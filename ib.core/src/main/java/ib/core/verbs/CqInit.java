package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * How to create a completion queue (S49).
 *
 * @param entries least number of entries, at least 1
 * @param vector completion vector, from 0
 * @param compHandler called when armed and a completion arrives, or null
 * @param eventHandler hears {@link EventType#CQ_ERR}, or null
 * @param context given to both handlers (S49)
 * @param pollContext where the core polls, or null for a raw queue
 */
public record CqInit(
    int entries,
    int vector,
    @Nullable CompHandler compHandler,
    @Nullable EventHandler eventHandler,
    @Nullable Object context,
    @Nullable PollContext pollContext) {

  /**
   * A raw queue that is only polled.
   *
   * @param entries least number of entries, at least 1
   */
  public CqInit(int entries) {
    this(entries, 0, null, null, null, null);
  }

  /**
   * A raw queue with a completion handler.
   *
   * @param entries least number of entries, at least 1
   * @param compHandler the handler
   * @param context given to the handler
   */
  public CqInit(int entries, CompHandler compHandler, @Nullable Object context) {
    this(entries, 0, compHandler, null, context, null);
  }

  /**
   * A managed queue.
   *
   * @param entries least number of entries, at least 1
   * @param vector completion vector
   * @param pollContext where {@link Cqe#done} runs
   * @return the attributes
   */
  public static CqInit managed(int entries, int vector, PollContext pollContext) {
    return new CqInit(entries, vector, null, null, null, pollContext);
  }

  /** {@return these attributes as the driver gets them: with the checked event handler (S20)} */
  CqInit guarded(ObjectControl control) {
    return new CqInit(
        entries, vector, compHandler, control.guard(eventHandler), context, pollContext);
  }

  void check(IbDevice device) {
    long most = device.attrs().limit(Limit.MAX_CQE);
    if (entries < 1 || entries > most) {
      throw new IbInvalidException(
          device.name() + ".createCq", "entries " + entries, "1 to " + most);
    }
    if (vector < 0 || vector >= device.completionVectors()) {
      throw new IbInvalidException(
          device.name() + ".createCq",
          "completion vector " + vector,
          "0 to " + (device.completionVectors() - 1));
    }
  }
}
