package ib.engine.wire;

import ib.core.wire.DropReason;
import org.jspecify.annotations.Nullable;

/**
 * A port around another port. Most methods call the other port; a subclass overrides those that it
 * changes.
 */
public abstract class PortAround implements WirePort {
  /** The device's port, or what is around it. */
  protected final WirePort port;

  /**
   * Wraps a port.
   *
   * @param port the port
   */
  protected PortAround(WirePort port) {
    this.port = port;
  }

  @Override
  public final void dropped(DropReason reason) {
    port.dropped(reason);
  }

  @Override
  public final void captureDropped() {
    port.captureDropped();
  }

  @Override
  public @Nullable WirePort direct() {
    return port.direct();
  }

  @Override
  public final int number() {
    return port.number();
  }

  @Override
  public final int lid() {
    return port.lid();
  }

  @Override
  public final boolean active() {
    return port.active();
  }
}
