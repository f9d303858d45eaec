package ib.kit.fault;

import ib.core.spi.FaultInjection;
import java.util.Collection;

/** What a field of a test can be so that {@link Faults} finds the devices in it. */
@FunctionalInterface
public interface FaultSource {
  /** {@return the devices whose packets are disturbed} */
  Collection<FaultInjection> faultInjections();
}
