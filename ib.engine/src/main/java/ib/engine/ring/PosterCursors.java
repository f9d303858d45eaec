package ib.engine.ring;

/**
 * The first part of a ring's state: what producers write. Each part has cache lines of its own, so
 * that the two sides of a ring do not take each other's; classes inherit from one another because
 * that fixes the order of fields.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class PosterCursors {
  long a0, a1, a2, a3, a4, a5, a6;
  volatile long tail;
  long guess; // where the other side was when somebody looked last: never ahead of it
  long b0, b1, b2, b3, b4, b5, b6;
}
