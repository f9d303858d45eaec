package ib.engine.ring;

/** The second part of a ring's state: the cursor that consumers write. */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class ConsumerCursors extends PosterCursors {
  volatile long head;
  long c0, c1, c2, c3, c4, c5, c6, c7;
}
