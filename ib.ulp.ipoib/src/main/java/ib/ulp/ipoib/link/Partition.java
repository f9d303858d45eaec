package ib.ulp.ipoib.link;

import ib.core.verbs.IbDevice;

/** The partition of an interface in the table of its port. */
final class Partition {
  private static final int FULL_MEMBER = 0x8000;

  private Partition() {}

  /** {@return where a P_Key is; 0 of the first one (I1); -1 when it is missing} */
  static int index(IbDevice device, int port, int pkey) {
    return pkey == 0 ? 0 : device.findPkey(port, pkey);
  }

  /** {@return the P_Key of an entry with the membership bit; 0 of an empty one} */
  static int key(IbDevice device, int port, int index) {
    int key = device.pkey(port, index);
    return (key & 0x7fff) == 0 ? 0 : key | FULL_MEMBER;
  }
}
