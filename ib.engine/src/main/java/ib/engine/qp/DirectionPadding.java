package ib.engine.qp;

import java.lang.ref.WeakReference;

/**
 * The space before the fields of a {@link Direction}. A superclass of its own, since the JVM orders
 * the fields of one class by their size.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class DirectionPadding extends WeakReference<QpCore> {
  long a0, a1, a2, a3, a4, a5, a6;

  DirectionPadding(QpCore receiver) {
    super(receiver);
  }
}
