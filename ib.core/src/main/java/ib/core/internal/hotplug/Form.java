package ib.core.internal.hotplug;

import ib.core.serial.Waits;

/** The way in which a caller learns that its wait is refused; the operation stays queued. */
public enum Form {
  /** For calls of the API: {@code IbDeadlockException}. */
  THROW(Waits.Rank.QUEUED),
  /** For service events, whose caller could not catch an exception: a violation is recorded. */
  RECORD(Waits.Rank.SERVICE_GOES);

  /** Of the removal of a device: a driver whose service goes pulls its device afterwards (S28). */
  final Waits.Rank rank;

  Form(Waits.Rank rank) {
    this.rank = rank;
  }
}
