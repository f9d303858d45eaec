package ib.driver.soft.sm;

import ib.core.sa.SaStatus;

/** A request that is answered with a status. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  final transient SaStatus status;

  Refusal(SaStatus status) {
    super(status.name(), null, false, false);
    this.status = status;
  }
}
