package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.IpPacket;
import java.lang.foreign.MemorySegment;

/** The kernel's stack, for those who give it frames. */
interface Kernel {
  /** {@return whether there is an Ethernet header before a packet} */
  boolean ethernet();

  /** {@return the queue that packets of one flow are given by, always the same} */
  int queueOf(MemorySegment s, IpPacket ip);

  /** Gives a frame to the kernel. {@return whether it took it} */
  boolean write(int queue, MemorySegment from, long length);

  /** Gives a frame in pieces to the kernel. {@return whether it took it} */
  boolean write(int queue, MemorySegment pieces, int count, long length);
}
