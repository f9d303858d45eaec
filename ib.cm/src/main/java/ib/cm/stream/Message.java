package ib.cm.stream;

import java.io.IOException;

/** A message, or some, that a thread waits to send. The lock of {@link StreamEnd} guards it. */
interface Message {
  /**
   * Sends it, or the next part.
   *
   * @return false when nothing of it can be sent now
   */
  boolean send(Traffic by) throws IOException;

  /** {@return whether all is sent} */
  boolean complete();
}
