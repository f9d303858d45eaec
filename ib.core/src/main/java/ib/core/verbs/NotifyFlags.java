package ib.core.verbs;

/** The completions that a consumer asks to be notified of; bits of {@code ib_cq_notify_flags}. */
public final class NotifyFlags {
  /** The next solicited or failed completion. */
  public static final int SOLICITED = 1;

  /** The next completion of any kind. */
  public static final int NEXT_COMP = 1 << 1;

  /** Tell by a positive result that completions may have come before. */
  public static final int REPORT_MISSED_EVENTS = 1 << 2;

  private NotifyFlags() {}
}
