package ib.cm.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes to send: in the order of the stream, or directly into a region of the peer. */
final class Bytes implements Message {
  private final ByteBuffer from;
  private final boolean direct;
  private long offset;

  private Bytes(ByteBuffer from, boolean direct, long offset) {
    this.from = from;
    this.direct = direct;
    this.offset = offset;
  }

  static Bytes inOrder(ByteBuffer from) {
    return new Bytes(from, false, 0);
  }

  static Bytes direct(ByteBuffer from, long offset) {
    return new Bytes(from, true, offset);
  }

  @Override
  public boolean send(Traffic by) throws IOException {
    int most = from.remaining();
    int n = direct ? by.sendDirect(from, offset, most) : by.send(from, most);
    offset += n;
    return n > 0;
  }

  @Override
  public boolean complete() {
    return !from.hasRemaining();
  }
}
