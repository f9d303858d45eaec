package ib.engine.qp;

/** What a port counts of its packets (IBA 16.1.3.5): kept per queue pair, summed on reading. */
enum Traffic {
  XMIT_PKTS,
  XMIT_DATA,
  XMIT_MULTICAST,
  XMIT_DISCARDS,
  RCV_PKTS,
  RCV_DATA,
  RCV_MULTICAST,
  VL15_DROPPED,
  QP1_DROPPED;

  static final int COUNT = values().length;
}
