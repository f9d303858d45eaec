package ib.engine.qp;

import ib.engine.mr.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The value that an atomic of this queue pair has found in the peer's memory, as bytes to copy. */
public final class AtomicResult {
  private final MemorySegment value = MemorySegment.ofArray(new byte[Long.BYTES]);
  private final Payload payload = new Payload();

  public AtomicResult() {
    payload.add(value, 0, Long.BYTES);
  }

  /** Sets the value; {@return its bytes, in the machine's order} */
  public Payload set(long found) {
    value.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, found);
    return payload;
  }
}
