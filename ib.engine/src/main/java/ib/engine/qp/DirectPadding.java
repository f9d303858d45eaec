package ib.engine.qp;

import ib.engine.cq.SoftCq;

/**
 * The space before the fields of {@link DirectState}. A superclass of its own, since the JVM orders
 * the fields of one class by their size.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class DirectPadding extends QpPath {
  long a0, a1, a2, a3, a4, a5, a6;

  /** Makes that of a queue pair. */
  DirectPadding(SoftCq sendCq, SoftCq recvCq) {
    super(sendCq, recvCq);
  }
}
