package ib.engine.cq;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.ObjectControl;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The word that tells which completions a consumer waits for, on cache lines of its own: producers
 * read it for each completion, and consumers that arm write it. It is a long, since fields of one
 * size keep their order.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class ArmedWord extends CompletionQueue {
  static final long IDLE = 0;
  static final long SOLICITED = 1;
  static final long ANY = 2;
  static final VarHandle ARMED;

  static {
    try {
      ARMED = MethodHandles.lookup().findVarHandle(ArmedWord.class, "armed", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  long a0, a1, a2, a3, a4, a5, a6;
  volatile long armed;
  long b0, b1, b2, b3, b4, b5, b6;

  ArmedWord(ObjectControl control, CqInit init) {
    super(control, init);
  }
}
