package ib.launcher.service;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One message on the socket.
 *
 * @param kind what it is
 * @param body its bytes, at most {@link Frames#MAX_BODY}
 */
record Frame(Kind kind, byte[] body) {
  /** The kind of a frame; its ordinal is the frame's first byte. */
  enum Kind {
    /** Of the server, first: a {@link Hello}. */
    HELLO,
    /** Of the client: shell commands, text. */
    EXEC,
    /** Of the client: a shell on a terminal; its type, columns and rows, a line each. */
    ATTACH,
    /** Of the client: the runtime is to end. */
    STOP,
    /** Of the client: the keys of its shell, or a part of its standard input that was wanted. */
    INPUT,
    /** Of the client: its input has ended. */
    INPUT_END,
    /** Of the client: its terminal has another size; columns and rows, a line each. */
    SIZE,
    /** Of the server: bytes for standard output. */
    OUT,
    /** Of the server: bytes for standard error. */
    ERR,
    /** Of the server, last: the exit status, 4 bytes. */
    STATUS,
    /** Of the server: commands wait for the next part of standard input. */
    INPUT_WANTED,
    /** Of the client: as {@link #EXEC}, a short look that waits for no place. */
    LOOK
  }

  static Frame of(Kind kind, String text) {
    return new Frame(kind, text.getBytes(StandardCharsets.UTF_8));
  }

  static Frame status(int status) {
    return new Frame(Kind.STATUS, ByteBuffer.allocate(Integer.BYTES).putInt(status).array());
  }

  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** {@return the exit status that a {@code STATUS} frame carries} */
  int status() {
    return ByteBuffer.wrap(body).getInt();
  }
}
