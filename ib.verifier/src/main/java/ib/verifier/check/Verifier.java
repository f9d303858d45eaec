package ib.verifier.check;

import ib.core.client.IbClient;
import ib.core.spi.ContractReports;
import ib.core.spi.DriverDevice;
import ib.core.verbs.IbDevice;
import ib.verifier.probe.Watch;
import ib.verifier.weave.BlockingRules;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rules: what woven code must not do, and where. */
public final class Verifier implements Watch {
  private static final String MONITOR_ADVICE =
      "use an atomic variable, a queue without a lock, or ReentrantLock.tryLock";

  // of a class of the JDK, so that a foreign thread keeps no bundle alive
  private static final ThreadLocal<ArrayDeque<String>> SECTIONS =
      ThreadLocal.withInitial(ArrayDeque::new);

  // the stack of the thread's last call that must not be made where it was made; a list of the
  // JDK's
  private static final ThreadLocal<List<String>> LAST_SIN = ThreadLocal.withInitial(List::of);

  private final Reports reports;
  private final BlockingRules rules;
  private final LockOrder order;
  private final OneThread oneThread;
  private final Charges charges;

  /**
   * Makes the verifier.
   *
   * @param core where violations are reported, null while there is no midlayer
   * @param rules what to do instead of a call that may block
   */
  public Verifier(Supplier<@Nullable ContractReports> core, BlockingRules rules) {
    this.reports = new Reports(core);
    this.rules = rules;
    order = new LockOrder(reports);
    oneThread = new OneThread(reports);
    charges = new Charges(reports);
  }

  @Override
  public void enter(String method) {
    SECTIONS.get().push(method);
  }

  @Override
  public void exit() {
    SECTIONS.get().poll(); // empty when the method was entered before the verifier began
  }

  @Override
  public void mightSleep(String call, String culprit) {
    String advice = rules.instead(call);
    blocked(call + " may block", culprit, advice.isEmpty() ? MONITOR_ADVICE : advice);
  }

  /** In a callback the midlayer itself refuses such a call. */
  @Override
  public void mayCallSleeping(String call, String culprit) {
    String method = SECTIONS.get().peek();
    if (method != null) {
      inSection("S2-S9", call + " may sleep", method, culprit, "call it on a thread of your own");
    }
  }

  /** In a callback the midlayer itself refuses such a call, by this clause, too. */
  @Override
  public void registers(String call, String culprit) {
    String method = SECTIONS.get().peek();
    if (method != null) {
      String advice = "register and unregister on a thread of your own";
      inSection("S29", call + " waits for drivers and clients", method, culprit, advice);
    }
  }

  @Override
  public void begin(Object object, String call, String culprit) {
    oneThread.begin(object, call, culprit);
  }

  @Override
  public void end(Object object) {
    oneThread.end(object);
  }

  @Override
  public void lockMade(Object lock, String site) {
    order.made(lock, site);
  }

  @Override
  public void locking(Object lock, String name, String culprit) {
    order.locking(lock, name, culprit);
  }

  @Override
  public void locked(Object lock, String name) {
    order.locked(lock, name);
  }

  @Override
  public void unlocked(Object lock) {
    order.unlocked(lock);
  }

  @Override
  public void fence(String types, String culprit) {
    order.fence(types, culprit);
  }

  @Override
  public void registering(Object service, String culprit) {
    if (service instanceof IbDevice) {
      order.fence(DriverDevice.class.getName(), culprit);
    } else if (service instanceof IbClient) {
      order.fence(IbClient.class.getName(), culprit);
    }
  }

  @Override
  public void unregistering(Object objectClass, String culprit) {
    List<String> types = List.of((String[]) objectClass);
    if (types.contains(IbDevice.class.getName())) {
      order.fence(DriverDevice.class.getName(), culprit);
    } else if (types.contains(IbClient.class.getName())) {
      order.fence(IbClient.class.getName(), culprit);
    }
  }

  @Override
  public void callback(String types, String culprit) {
    order.callback(types, culprit);
  }

  @Override
  public void callbackEnd() {
    order.callbackEnd();
  }

  @Override
  public void adding(@Nullable Object client, @Nullable Object device) {
    charges.adding(client, device);
  }

  @Override
  public void removed(Object client, @Nullable Object device) {
    charges.removed(client, device);
  }

  @Override
  public void started(Object made, String culprit) {
    charges.started(made, culprit);
  }

  @Override
  public void ended(Object made) {
    charges.ended(made);
  }

  private void blocked(String what, String culprit, String instead) {
    String method = SECTIONS.get().peek();
    if (method != null) {
      inSection("S2-S9", what, method, culprit, instead);
    } else if (reports.inCallback()) {
      String text = what + " and was called from a callback that must not";
      sinned("S26", culprit, text, instead);
    }
  }

  private void inSection(
      String clause, String what, String method, String culprit, String instead) {
    String text = what + " and was called in " + method + ", which any context may call";
    sinned(clause, culprit, text, instead);
  }

  /**
   * Reports the outermost sin: what runs below a call that must not be made there, of the midlayer
   * or of others, is a consequence of that call.
   */
  private void sinned(String clause, String culprit, String text, String instead) {
    List<String> stack = Reports.here();
    List<String> sin = LAST_SIN.get();
    int below = stack.size() - sin.size();
    if (below <= 0 || sin.isEmpty() || !stack.subList(below, stack.size()).equals(sin)) {
      LAST_SIN.set(stack);
      reports.report(clause, culprit, text, instead, stack, List.of());
    }
  }
}
