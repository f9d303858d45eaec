package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.ulp.ipoib.loop.Loop;
import java.util.function.Consumer;

/** What a connection says, and says again until it is answered (IBA 12.9.8). */
final class Speech {
  private final Loop loop;
  private final CmService cm;
  private final Consumer<Connection> unheard;
  private int pkeyIndex;

  /**
   * Makes it.
   *
   * @param unheard is told of a connection that was not answered after all retries
   */
  Speech(Loop loop, CmService cm, Consumer<Connection> unheard) {
    this.loop = loop;
    this.cm = cm;
    this.unheard = unheard;
  }

  void pkeyIndex(int index) {
    pkeyIndex = index;
  }

  void send(long tid, CmMessage message, AhAttr to) {
    cm.send(tid, message, to, pkeyIndex);
  }

  /** Says what it has said last. */
  void say(Connection c) {
    if (c.said != null) {
      send(c.tid, c.said, c.way);
    }
  }

  /** Says something that is to be answered. */
  void ask(Connection c, CmMessage what) {
    c.said = what;
    c.tries = 0;
    say(c);
    await(c, Connections.RESPONSE_NS);
  }

  /** Waits so long before it is said again. */
  void await(Connection c, long ns) {
    silence(c);
    c.timer = loop.after(ns, () -> again(c));
  }

  void silence(Connection c) {
    if (c.timer != null) {
      c.timer.cancel();
      c.timer = null;
    }
  }

  private void again(Connection c) {
    c.timer = null;
    if (c.tries++ < CmRequest.RETRIES) {
      say(c);
      await(c, Connections.RESPONSE_NS);
    } else {
      unheard.accept(c);
    }
  }
}
