package ib.driver.rxe.udp;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where a device does as its peers do and not as the specification asks (rocev2.md 0 and 6). */
public enum Quirk {
  /** The ICRC of a FLUSH covers its headers twice: Linux rdma_rxe 6.12. */
  FLUSH_ICRC,
  /** Packets say that the path has not migrated: Linux rdma_rxe. */
  MIGREQ_0,
  /** A receive that is too small is a remote operational error: Linux rdma_rxe. */
  NAK_63;

  /** {@return the word for it in a configuration} */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Reads a word.
   *
   * @param word as of {@link #word}
   * @return what it means, empty for another word
   */
  public static Optional<Quirk> of(String word) {
    return Arrays.stream(values()).filter(q -> q.word().equals(word)).findFirst();
  }
}
