package ib.engine.cq;

/** The second part of a ring's state: the cursors that consumers write. */
@SuppressWarnings("MultiVariableDeclaration") // padding
public abstract class ConsumerCursors extends PosterCursors {
  protected volatile long head;
  protected long toldEnd; // of a work queue: index after the last request with a completion
  long c0, c1, c2, c3, c4, c5, c6;
}
