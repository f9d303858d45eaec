package ib.cm.internal.port;

import ib.cm.CmEvent;
import ib.cm.CmFailure;
import ib.cm.internal.machine.Connection;
import ib.core.mad.cm.CmReason;
import ib.core.verbs.IbException;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Enters failures of a program's connections by service ID in the book.
 *
 * @param book the book
 * @param program name of the program; empty when the program enters its failures itself
 * @param device name of the device
 */
record Notes(Consumer<CmFailure> book, String program, String device) {
  /** A connection has ended. */
  void ended(Connection c, CmEvent.Ended end) {
    if (!end.how().isFailure()) {
      return;
    }
    int reason = end.reason();
    CmReason known = CmReason.of(reason);
    boolean said = reason != 0;
    enter(
        c.what(),
        said ? end.how() + ", reason " + reason : end.how().toString(),
        end.how().text() + (said ? ", reason " + reason + ": " + CmReason.text(reason) : ""),
        known == null ? end.how().hint() : known.hint());
  }

  /** A question for a datagram service has no answer, or a refusal. */
  void unresolved(String what, IbException why) {
    enter(what, "UNRESOLVED", why.why(), why.hint());
  }

  private void enter(String what, String end, String why, String hint) {
    if (!program.isEmpty()) {
      book.accept(new CmFailure(Instant.now(), program, device, what, end, why, hint));
    }
  }
}
