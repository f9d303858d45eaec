package ib.core.spi;

import ib.core.client.Violation;
import ib.core.verbs.AnyContext;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The midlayer as a checker sees it that watches clients and drivers from outside; an OSGi service.
 * A checker adds the violations that it sees to those that the midlayer sees: both are in one list,
 * {@link ib.core.client.IbCore#violations}.
 */
@ProviderType
public interface ContractReports {
  /**
   * {@return whether the calling thread runs a callback that must not sleep (S26): a completion or
   * event handler, unless its poll context allows sleeping}
   */
  @AnyContext
  boolean inAtomicSection();

  /**
   * Records a violation: logs it, keeps it for {@link ib.core.client.IbCore#violations}, and emits
   * the JFR event {@code ib.Violation}. A repetition is only counted.
   *
   * @param violation the clause, the culprit, and where it happened
   */
  @AnyContext
  void report(Violation violation);
}
