package ib.engine.wire;

import ib.core.wire.DropReason;
import ib.core.wire.Psn;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A target with a bug, for Jazzer to find: the last sequence number has no successor. */
public final class PlantedFuzz {
  private static final RoceCodec CODEC = new RoceCodec();
  private static final RoceFrame FRAME = new RoceFrame();
  private static final Fuzz.Target TARGET = new Fuzz().roce(PlantedFuzz::careless);

  private PlantedFuzz() {}

  private static @Nullable DropReason careless(MemorySegment bytes, int length, Packet into) {
    DropReason reason = CODEC.decode(bytes, 0, length, into, FRAME);
    if (reason == null && into.psn == Psn.MAX) {
      throw new ArithmeticException("planted: " + into.psn + " + 1");
    }
    return reason;
  }

  /** One execution. */
  public static void fuzzerTestOneInput(byte[] input) {
    TARGET.run(input);
  }
}
