package ib.kit.fault;

import ib.core.spi.FaultInjection;
import java.util.Collection;

/** The type of a test's field in which {@link Faults} finds the devices. */
@FunctionalInterface
public interface FaultSource {
  /** {@return the devices whose packets are disturbed} */
  Collection<FaultInjection> faultInjections();
}
