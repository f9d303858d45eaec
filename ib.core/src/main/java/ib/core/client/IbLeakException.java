package ib.core.client;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown when the code that made objects did not close all of them. Everything is closed when this
 * is thrown: the core has destroyed these objects, too. Errno is EBUSY.
 */
public class IbLeakException extends IbException {
  private static final long serialVersionUID = 1L;

  private final transient List<LeakRecord> leaks;

  /**
   * Reports what was left behind.
   *
   * @param what what was closed
   * @param leaks what was left, not empty
   */
  public IbLeakException(String what, List<LeakRecord> leaks) {
    super(
        Errno.EBUSY,
        what,
        leaks.stream().map(IbLeakException::text).collect(Collectors.joining("; ")),
        "close " + (leaks.size() == 1 ? "it" : "them") + " before, with try-with-resources");
    this.leaks = List.copyOf(leaks);
  }

  private static String text(LeakRecord leak) {
    String where = leak.stack().isEmpty() ? "" : " at " + leak.stack().getFirst();
    String which = leak.object() + " of " + leak.device();
    return which + " was left open; " + leak.thread() + " made it" + where;
  }

  /** {@return what was left, with the whole stack of its making; empty after serialization} */
  public List<LeakRecord> leaks() {
    return leaks == null ? List.of() : leaks;
  }
}
