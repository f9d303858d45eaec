package ib.itests.ulp;

import ib.core.client.IbClient;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Says what it is told, uses the device in add and, still, in the last line of remove (S28, S31,
 * I6).
 */
public class RecordingUlp implements IbClient {
  private final String name;
  private final Consumer<String> log;

  RecordingUlp(String name, Consumer<String> log) {
    this.name = name;
    this.log = log;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Object add(IbDevice device) {
    Deque<AutoCloseable> open = new ArrayDeque<>();
    ProtectionDomain pd = device.allocPd();
    open.push(pd);
    CompletionQueue cq = device.createCq(new CqInit(16));
    open.push(cq);
    open.push(pd.allocMemory(4096, 64, Access.LOCAL_WRITE));
    say("add", device);
    return open;
  }

  @Override
  public void remove(IbDevice device, Object clientData) {
    @SuppressWarnings("unchecked")
    Deque<AutoCloseable> open = (Deque<AutoCloseable>) clientData;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        log.accept("FAIL " + name + " " + e);
      }
    }
    device.queryPort(1); // usable to the end
    say("remove", device);
  }

  /** Writes one line. */
  protected void say(String what, IbDevice device) {
    log.accept(what + " " + name + " " + device.name());
  }

  /** {@return where lines go} */
  protected Consumer<String> log() {
    return log;
  }
}
