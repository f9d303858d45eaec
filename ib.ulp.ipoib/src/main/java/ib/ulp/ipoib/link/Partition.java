package ib.ulp.ipoib.link;

import ib.core.verbs.IbDevice;

/** Finds the P_Key of an interface in the table of its port. */
final class Partition {
  private static final int FULL_MEMBER = 0x8000;

  private Partition() {}

  /**
   * {@return the index of a P_Key, or -1 if it is missing; 0 for P_Key 0, which stands for the
   * first entry (I1)}
   */
  static int index(IbDevice device, int port, int pkey) {
    return pkey == 0 ? 0 : device.findPkey(port, pkey);
  }

  /** {@return the P_Key of an entry with the membership bit; 0 for an empty entry} */
  static int key(IbDevice device, int port, int index) {
    int key = device.pkey(port, index);
    return (key & 0x7fff) == 0 ? 0 : key | FULL_MEMBER;
  }
}
