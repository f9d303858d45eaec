package ib.core.internal.hotplug;

/** What happens to a caller whose wait is refused; the operation stays queued either way. */
public enum Form {
  /** For calls of the API: {@code IbDeadlockException}. */
  THROW,
  /** For service events, where nobody could catch it: a violation is recorded. */
  RECORD
}
