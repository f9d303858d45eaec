package ib.core.verbs;

/** Results of data path calls, which throw nothing: 0 or a negated Linux errno. */
public final class PostStatus {
  /** Accepted. */
  public static final int OK = 0;

  /** The object or its device is gone (-EIO). */
  public static final int GONE = -5;

  /** The work queue has no free slot (-ENOMEM): poll, then post again. */
  public static final int QUEUE_FULL = -12;

  /** Another thread uses the builder of the queue pair (-EBUSY): nothing was posted (S16). */
  public static final int BUSY = -16;

  /** The request or the state of the QP does not allow it (-EINVAL). */
  public static final int INVALID = -22;

  /** The CQ has overrun (-EOVERFLOW). */
  public static final int OVERRUN = -75;

  /** The QP type or the device does not offer the operation (-EOPNOTSUPP). */
  public static final int NOT_SUPPORTED = -95;

  private PostStatus() {}

  /**
   * Explains a result of the data path, and says what to try.
   *
   * @param status the result of a data path call
   * @return a text for a person, for example {@code QUEUE_FULL (-12): the work queue has no free
   *     slot. Try: poll the completion queue, then post again}
   */
  @AnyContext
  public static String text(int status) {
    return switch (status) {
      case OK -> "OK (0): accepted";
      case GONE ->
          told("GONE", status, "the object or its device is gone", "a handle of the device now");
      case QUEUE_FULL ->
          told(
              "QUEUE_FULL",
              status,
              "the work queue has no free slot",
              "poll the completion queue, then post again");
      case BUSY ->
          told(
              "BUSY",
              status,
              "another thread uses the builder of the queue pair",
              "one thread at a time, or a list for postSend");
      case INVALID ->
          told(
              "INVALID",
              status,
              "the request or the state of the queue pair does not allow it",
              "state RTS to send, INIT or later to receive; no more elements than QpCap says");
      case OVERRUN ->
          told(
              "OVERRUN",
              status,
              "the completion queue has overrun",
              "a completion queue with as many entries as the work queues it serves");
      case NOT_SUPPORTED ->
          told(
              "NOT_SUPPORTED",
              status,
              "the type of the queue pair or the device does not offer the operation",
              "type RC, and IbDevice.has");
      default -> "status " + status + ": no result of a data path call";
    };
  }

  /**
   * Explains a refused list of sends by what the queue pair is and what the request asks for.
   *
   * @param status what {@link QueuePair#postSend} has returned
   * @param qp the queue pair
   * @param list the list, whose {@link SendWr#badWr} is the request that was refused
   * @return as {@link #text(int)}, with the cause where it can be seen
   */
  @AnyContext
  public static String text(int status, QueuePair qp, SendWr list) {
    SendWr bad = list.badWr();
    return PostRefusal.text(status, PostRefusal.ofSend(status, qp, bad == null ? list : bad));
  }

  /**
   * Explains a refused list of receives.
   *
   * @param status what {@link QueuePair#postReceive(RecvWr)} has returned
   * @param qp the queue pair
   * @param list the list, whose {@link RecvWr#badWr} is the request that was refused
   * @return as {@link #text(int)}, with the cause where it can be seen
   */
  @AnyContext
  public static String text(int status, QueuePair qp, RecvWr list) {
    RecvWr bad = list.badWr();
    return PostRefusal.text(status, PostRefusal.ofReceive(status, qp, bad == null ? list : bad));
  }

  /**
   * Explains a refused batch of the builder, whose requests cannot be seen any more, or one receive
   * without a list.
   *
   * @param status what {@link WrBuilder#wrComplete} has returned
   * @param qp the queue pair
   * @return as {@link #text(int)}, with the state or else the limits of the queue pair
   */
  @AnyContext
  public static String text(int status, QueuePair qp) {
    return PostRefusal.text(status, PostRefusal.ofState(status, qp));
  }

  static String told(String name, int status, String why, String hint) {
    return name + " (" + status + "): " + why + ". Try: " + hint;
  }
}
