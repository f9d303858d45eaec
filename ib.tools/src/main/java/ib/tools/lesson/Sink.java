package ib.tools.lesson;

import ib.kit.capture.CaptureReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/** Hands the stream of a capture to its reader, and to a file if there is one. */
record Sink(CaptureReader reader, @Nullable WritableByteChannel file)
    implements WritableByteChannel {

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    ByteBuffer copy = bytes.duplicate();
    while (file != null && copy.hasRemaining()) {
      file.write(copy);
    }
    return reader.write(bytes);
  }

  @Override
  public boolean isOpen() {
    return reader.isOpen();
  }

  @Override
  public void close() throws IOException {
    reader.close();
    if (file != null) {
      file.close();
    }
  }
}
