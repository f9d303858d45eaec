package ib.engine.ring;

import ib.engine.cq.ConsumerCursors;

/**
 * The third part of a ring's state: the cursor that pollers of completions write, index after the
 * last request whose completion was polled.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class ReleaseCursor extends ConsumerCursors {
  volatile long released;
  long d0, d1, d2, d3, d4, d5, d6, d7;
}
