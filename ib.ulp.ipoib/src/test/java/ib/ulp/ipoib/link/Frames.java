package ib.ulp.ipoib.link;

import java.lang.foreign.MemorySegment;

/** Frames, for tests of who takes them. */
public final class Frames {
  private Frames() {}

  /** Segments that came together, in pieces of a size, which follow each other with a gap. */
  public static Frame together(MemorySegment s, int type, int mss, int length, int each, int gap) {
    Frame frame = new Frame();
    frame.segment = s;
    frame.type = type;
    frame.mss = mss;
    frame.length = length;
    for (int at = 0; at < length; at += each) {
      frame.pieceAt[frame.pieces] = (long) frame.pieces * (each + gap);
      frame.pieceLength[frame.pieces++] = Math.min(each, length - at);
    }
    return frame;
  }
}
