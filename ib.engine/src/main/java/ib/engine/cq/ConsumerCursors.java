package ib.engine.cq;

/** The second part of a ring's state: the cursor that consumers write. */
@SuppressWarnings("MultiVariableDeclaration") // padding
public abstract class ConsumerCursors extends PosterCursors {
  protected volatile long head;
  long c0, c1, c2, c3, c4, c5, c6, c7;
}
