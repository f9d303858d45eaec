package ib.driver.verbs.cm;

import ib.core.cm.ConnectorQuestion;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** An ID of the kernel's connection manager that is a peer's question for a datagram service. */
final class HostQuestion implements ConnectorQuestion {
  private final UcmCommands commands;
  private final int id;
  private final UcmCommands.Place place;
  private final byte[] data;
  private final AtomicBoolean closed = new AtomicBoolean();

  HostQuestion(UcmCommands commands, int id, UcmCommands.Place place, byte[] data) {
    this.commands = commands;
    this.id = id;
    this.place = place;
    this.data = data;
  }

  @Override
  public InetSocketAddress local() {
    return place.local();
  }

  @Override
  public InetSocketAddress remote() {
    return place.remote();
  }

  @Override
  public byte[] data() {
    return data.clone();
  }

  @Override
  public void accept(int qpn, byte[] answer) {
    commands.answer(id, qpn, answer);
  }

  @Override
  public void reject(byte[] answer) {
    commands.reject(id, answer);
  }

  /** The kernel refuses what it destroys without an answer. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      commands.destroy(id);
    }
  }

  @Override
  public String toString() {
    return "ID " + id + " of rdma_cm";
  }
}
