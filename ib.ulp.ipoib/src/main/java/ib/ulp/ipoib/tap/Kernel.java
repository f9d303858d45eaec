package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.IpPacket;
import java.lang.foreign.MemorySegment;

/** The kernel's end of a TAP or TUN device. Used on the loop's thread only. */
interface Kernel {
  /** {@return whether packets have an Ethernet header: true for TAP, false for TUN} */
  boolean ethernet();

  /** {@return the queue for a packet; it is the same for all packets of a flow} */
  int queueOf(MemorySegment s, IpPacket ip);

  /** Writes a frame to the kernel. {@return whether the kernel accepted it} */
  boolean write(int queue, MemorySegment from, long length);

  /** Writes a frame in pieces to the kernel. {@return whether the kernel accepted it} */
  boolean write(int queue, MemorySegment pieces, int count, long length);
}
