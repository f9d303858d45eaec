package ib.health;

import ib.core.verbs.MaySleep;
import java.util.List;

/**
 * A service whose findings {@link Health#examine} adds to those of the check {@code bundles}. Any
 * thread may call, several at a time.
 */
public interface FindingSource {
  /**
   * Looks for what is not as it should be. What this call throws becomes a finding itself.
   *
   * @return findings of the check {@code bundles}, none when all is well
   */
  @MaySleep
  List<Finding> find();
}
