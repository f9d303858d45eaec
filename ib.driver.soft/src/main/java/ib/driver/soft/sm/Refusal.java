package ib.driver.soft.sm;

import ib.core.sa.SaStatus;

/** Ends the handling of a request; the response has the status of this exception. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  final transient SaStatus status;

  Refusal(SaStatus status) {
    super(status.name(), null, false, false);
    this.status = status;
  }
}
