package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.ulp.ipoib.loop.Loop;
import java.util.function.Consumer;

/**
 * Sends the messages of connections, and repeats those that need an answer (IBA 12.9.8). Used on
 * the loop's thread only.
 */
final class Speech {
  private final Loop loop;
  private final CmService cm;
  private final Consumer<Connection> unheard;
  private int pkeyIndex;

  /**
   * Creates the sender.
   *
   * @param unheard called with a connection whose message was not answered after all retries
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

  /** Sends the connection's last message again. */
  void say(Connection c) {
    if (c.said != null) {
      send(c.tid, c.said, c.way);
    }
  }

  /** Sends a message and repeats it until it is answered. */
  void ask(Connection c, CmMessage what) {
    c.said = what;
    c.tries = 0;
    say(c);
    await(c, Connections.RESPONSE_NS);
  }

  /** Repeats the last message after {@code ns}, unless {@link #silence} is called first. */
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
