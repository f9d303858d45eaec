package ib.engine.cq;

/**
 * The first part of a ring's state: the cursor that producers write. Each part has cache lines of
 * its own, so that producers and consumers do not invalidate each other's. The classes inherit from
 * one another because that fixes the order of fields.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
public abstract class PosterCursors {
  long a0, a1, a2, a3, a4, a5, a6;
  protected volatile long tail;
  protected long guess; // the other side's cursor at the last look of any thread: never ahead of it
  long b0, b1, b2, b3, b4, b5, b6;
}
