package ib.cm.internal.machine;

import ib.core.verbs.AhAttr;

/** A peer's question that waits for the answer of a datagram service. */
public final class Asked {
  /**
   * A peer's name of a question.
   *
   * @param source the peer
   * @param requestId the name
   */
  record Key(Object source, int requestId) {}

  final Key key;
  final Arrival from;
  final DatagramListener listener;

  Asked(Key key, Arrival from, DatagramListener listener) {
    this.key = key;
    this.from = from;
    this.listener = listener;
  }

  /** {@return the service ID} */
  public long serviceId() {
    return listener.serviceId;
  }

  /** {@return the way to the peer} */
  public AhAttr way() {
    return from.answer();
  }

  /** {@return private data of the question} */
  public byte[] privateData() {
    return from.message().privateData();
  }

  @Override
  public String toString() {
    return String.format("question 0x%08x of %s", key.requestId, key.source);
  }
}
