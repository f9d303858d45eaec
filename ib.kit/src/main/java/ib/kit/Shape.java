package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpType;
import ib.core.verbs.SigType;

/**
 * How the ends of a pair are made.
 *
 * @param type of the queue pairs
 * @param mtu path MTU in bytes, if the ports have so much
 * @param cap of the queue pairs
 * @param sig which sends are signaled
 * @param timeout code of the ack timeout
 * @param retries after timeouts
 * @param rnrRetries when the receiver is not ready
 * @param access what the peer may do at the queue pair
 * @param shared whether receives come from an SRQ
 * @param psn the first sequence number
 */
record Shape(
    QpType type,
    int mtu,
    QpCap cap,
    SigType sig,
    int timeout,
    int retries,
    int rnrRetries,
    int access,
    boolean shared,
    int psn) {
  static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
  static final int DEPTH = 64;
  static final int SGES = 4;
  static final int INLINE = 64;

  static Shape of(QpType type) {
    QpCap cap = new QpCap(DEPTH, DEPTH, SGES, SGES, INLINE);
    return new Shape(type, 1024, cap, SigType.REQ_WR, 14, 7, 7, ALL, false, 0xfffff0);
  }

  Shape mtu(int bytes) {
    return new Shape(type, bytes, cap, sig, timeout, retries, rnrRetries, access, shared, psn);
  }

  Shape cap(QpCap c) {
    return new Shape(type, mtu, c, sig, timeout, retries, rnrRetries, access, shared, psn);
  }

  Shape sig(SigType s) {
    return new Shape(type, mtu, cap, s, timeout, retries, rnrRetries, access, shared, psn);
  }

  /** Gives up soon: about 17 ms a try, since a peer on a socket is run by a thread of its own. */
  Shape retries(int tries, int rnrTries) {
    return new Shape(type, mtu, cap, sig, 12, tries, rnrTries, access, shared, psn);
  }

  /**
   * For a fabric that loses nothing: nothing is sent twice, so one packet that is lost ends the
   * connection. It waits for a second before, longer than all tries of {@link #retries}, since a
   * machine that is busy loses nothing.
   */
  Shape strict() {
    return new Shape(type, mtu, cap, sig, 18, 0, rnrRetries, access, shared, psn);
  }

  Shape access(int rights) {
    return new Shape(type, mtu, cap, sig, timeout, retries, rnrRetries, rights, shared, psn);
  }

  Shape withSrq() {
    return new Shape(type, mtu, cap, sig, timeout, retries, rnrRetries, access, true, psn);
  }

  Shape psn(int first) {
    return new Shape(type, mtu, cap, sig, timeout, retries, rnrRetries, access, shared, first);
  }

  /** On a fabric that loses packets: asks again after 4 ms. */
  Shape impatient() {
    return new Shape(
        type, mtu, cap, sig, Math.min(timeout, 10), retries, rnrRetries, access, shared, psn);
  }
}
