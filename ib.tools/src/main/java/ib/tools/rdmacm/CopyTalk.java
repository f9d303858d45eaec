package ib.tools.rdmacm;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ByteChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of the two ends of rcopy: questions and answers of 16 bytes (version 0, command,
 * length with everything behind them, a number, an id), in the order of a little-endian host.
 */
final class CopyTalk {
  static final int OPEN = 1;
  static final int CLOSE = 2;
  static final int WRITE = 3;
  static final int EACCES = 13;
  static final int EINVAL = 22;
  private static final int ANSWER = 0x80;
  private static final int HEAD = 16;
  private static final int MAX_BYTES = 0xffff; // what the header can say
  private static final int PADDING = 8;
  private static final int CHUNK = 1 << 16;

  private final ByteChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK).order(ByteOrder.LITTLE_ENDIAN);

  CopyTalk(ByteChannel channel) {
    this.channel = channel;
  }

  /**
   * A question of a client.
   *
   * @param command what it asks for
   * @param id which the answer repeats
   * @param more what follows the header
   */
  record Question(int command, long id, byte[] more) {
    /** {@return what follows, up to the first zero byte, as text} */
    String text() {
      int length = 0;
      while (length < more.length && more[length] != 0) {
        length++;
      }
      return new String(more, 0, length, StandardCharsets.UTF_8);
    }

    /** {@return the number that follows; -1 when something else does} */
    long number() {
      return more.length == Long.BYTES
          ? ByteBuffer.wrap(more).order(ByteOrder.LITTLE_ENDIAN).getLong()
          : -1;
    }
  }

  /** {@return a name that ends with a zero byte, padded as the original does} */
  static byte[] padded(byte[] name) {
    return Arrays.copyOf(name, (name.length + PADDING) / PADDING * PADDING);
  }

  static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  void ask(int command, int data, byte[] more) throws IOException {
    if (more.length > MAX_BYTES - HEAD) {
      throw new IOException("a name of " + more.length + " bytes is too long");
    }
    head(command, HEAD + more.length, data, 0);
    buffer.put(more).flip();
    all();
  }

  private void head(int command, int length, int data, long id) {
    buffer.clear();
    buffer.put((byte) 0).put((byte) command).putShort((short) length).putInt(data).putLong(id);
  }

  private void all() throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** Answers a question with a status, 0 or an error number. */
  void answer(Question question, int status) throws IOException {
    head(question.command | ANSWER, HEAD, status, question.id);
    buffer.flip();
    all();
  }

  /** {@return the status of an answer} */
  int answer(int command) throws IOException {
    if (!fill(HEAD)) {
      throw new EOFException("the other side has closed the connection");
    }
    if (buffer.get(0) != 0
        || (buffer.get(1) & 0xff) != (command | ANSWER)
        || buffer.getShort(2) != HEAD) {
      throw new IOException("a wrong answer to command " + command);
    }
    return buffer.getInt(4);
  }

  /** {@return the next question; null at the end of the connection} */
  @Nullable Question question() throws IOException {
    if (!fill(HEAD)) {
      return null;
    }
    int version = buffer.get(0);
    int command = buffer.get(1) & 0xff;
    int length = buffer.getShort(2) & 0xffff;
    long id = buffer.getLong(8);
    if (version != 0 || length < HEAD) {
      throw new IOException("invalid version " + version + " or length " + length);
    }
    if (!fill(length - HEAD)) {
      throw new EOFException("the client has ended in a question");
    }
    byte[] more = new byte[length - HEAD];
    buffer.get(more);
    return new Question(command, id, more);
  }

  /** Reads that many bytes into the buffer; {@return false at the end, before the first one} */
  private boolean fill(int bytes) throws IOException {
    buffer.clear().limit(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        if (buffer.position() == 0) {
          return false;
        }
        throw new EOFException("the other side has ended in a message");
      }
    }
    buffer.flip();
    return true;
  }

  /** Sends a file. */
  void send(FileChannel file, long bytes) throws IOException {
    for (long left = bytes; left > 0; ) {
      buffer.clear().limit((int) Math.min(CHUNK, left));
      if (file.read(buffer) < 0) {
        throw new EOFException("the file has become shorter");
      }
      buffer.flip();
      left -= buffer.remaining();
      all();
    }
  }

  /** Receives a file. */
  void receive(FileChannel file, long bytes) throws IOException {
    for (long left = bytes; left > 0; ) {
      buffer.clear().limit((int) Math.min(CHUNK, left));
      if (channel.read(buffer) < 0) {
        throw new EOFException("the client has ended in its file");
      }
      buffer.flip();
      left -= buffer.remaining();
      while (buffer.hasRemaining()) {
        file.write(buffer);
      }
    }
  }
}
