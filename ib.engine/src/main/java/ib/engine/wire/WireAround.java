package ib.engine.wire;

import ib.core.verbs.Gid;
import java.util.Map;

/**
 * A wire around another wire. Most methods call the other wire; a subclass overrides those that it
 * changes.
 */
public abstract class WireAround implements Wire {
  /** The medium. */
  protected final Wire inner;

  private final Epoch epoch;

  /**
   * Wraps a wire.
   *
   * @param inner the medium
   */
  protected WireAround(Wire inner) {
    this.inner = inner;
    this.epoch = inner.epoch();
  }

  @Override
  public final Epoch epoch() {
    return epoch;
  }

  @Override
  public boolean alwaysGlobal() {
    return inner.alwaysGlobal();
  }

  @Override
  public int tooLongSyndrome() {
    return inner.tooLongSyndrome();
  }

  @Override
  public boolean polled() {
    return inner.polled();
  }

  @Override
  public boolean progress() {
    return inner.progress();
  }

  @Override
  public void pollersRest() {
    inner.pollersRest();
  }

  @Override
  public void keyViolation(Packet packet, boolean pkey) {
    inner.keyViolation(packet, pkey);
  }

  @Override
  public Map<String, Long> counters() {
    return inner.counters();
  }

  @Override
  public void join(Gid group, int mlid) {
    inner.join(group, mlid);
  }

  @Override
  public void leave(Gid group, int mlid) {
    inner.leave(group, mlid);
  }
}
