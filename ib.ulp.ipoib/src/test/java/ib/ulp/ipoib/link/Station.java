package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.testing.FakeSubnet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A link that a test turns by hand, with a host that writes down what comes. */
final class Station implements Host {
  final Loop loop;
  final Link link;
  final List<String> received = new ArrayList<>();
  final List<LinkState> states = new ArrayList<>();
  int writable;
  boolean takesLong;

  Station(IbDevice device, LinkConfig config, FakeSubnet subnet, AtomicLong clock, Shared shared) {
    loop =
        new Loop(
            clock::get,
            new Loop.Sleeper() {
              @Override
              public void sleep(long nanos) {
                throw new AssertionError("nobody runs this loop");
              }

              @Override
              public void wake() {
                throw new AssertionError("nobody runs this loop");
              }
            });
    link = new Link(loop, device, 1, config, subnet.open(device, 1), shared);
    link.start(this);
  }

  /** Turns until there is nothing to do. */
  void settle() {
    for (int i = 0; i < 10_000 && loop.turn(); i++) {
      Thread.onSpinWait();
    }
  }

  static Outgoing packet(int type, String text) {
    byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    return new Outgoing().set(type, MemorySegment.ofArray(bytes), 0, bytes.length);
  }

  @Override
  public void linkChanged(LinkState state) {
    states.add(state);
  }

  @Override
  public boolean takesLong() {
    return takesLong;
  }

  @Override
  public void received(Frame frame) {
    if (frame.mss() > 0) {
      received.add("WHOLE of " + frame.length() + ", mss " + frame.mss());
      return;
    }
    if (!frame.connected.equals(Gid.ZERO)) {
      received.add("CONNECTED of " + frame.length());
      return;
    }
    byte[] bytes =
        frame.segment().asSlice(frame.at(), frame.length()).toArray(ValueLayout.JAVA_BYTE);
    received.add(
        frame.cast() + " " + new String(bytes, java.nio.charset.StandardCharsets.US_ASCII));
  }

  @Override
  public void tooLong(Outgoing packet, int mtu) {
    received.add("too long for " + mtu);
  }

  @Override
  public void receivedAll() {
    // each was written down
  }

  @Override
  public void writable() {
    writable++;
  }

  @Override
  public Map<String, String> neighbours() {
    return Map.of();
  }

  @Override
  public void close() {
    // nothing is held
  }
}
