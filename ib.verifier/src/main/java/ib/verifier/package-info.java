/**
 * Checks the half of the contract that only the code of drivers and upper level protocols shows. It
 * puts probes into their classes when these are loaded, and reports what breaks a clause, with the
 * line.
 *
 * <h2>How to switch it on</h2>
 *
 * <pre>{@code
 * IB_OPTS=-Dib.verify=true   ./ib
 * IB_OPTS=-Dib.verify=strict ./ib exec '...'
 * }</pre>
 *
 * <p>With {@code true} the launcher installs this bundle before all others and sets {@code
 * ib.check=true}, unless {@code ib.check} is set. With {@code strict}, {@code ./ib exec} ends with
 * status 1, too, when a clause was broken, and prints the violations on standard error. Without the
 * property the bundle is not installed and costs nothing. In another framework, start the bundle
 * before the bundles that it is to check: classes that are loaded already stay as they are.
 *
 * <p>It checks each bundle that imports a package of the midlayer, and knows nothing of them by
 * name.
 *
 * <h2>What it finds</h2>
 *
 * <table>
 * <caption>The rules</caption>
 * <tr><th>clause</th><th>what is reported</th></tr>
 * <tr><td>S26</td><td>in a completion or event handler that must not sleep: a call that may block,
 * or entering a monitor, free or not</td></tr>
 * <tr><td>S2-S9</td><td>the same, and a call of a method of the midlayer that is {@code @MaySleep}
 * or {@code @Fence}, in the bundle's implementation of a method that is {@code @AnyContext}</td></tr>
 * <tr><td>S29</td><td>in the same place: a device or a client is registered or unregistered</td></tr>
 * <tr><td>S30</td><td>two locks in one order here and in the other order there, even if that was
 * never at the same time; a lock that is held across a {@code @Fence}, and that is taken by a
 * callback which the fence waits for; a lock that a driver holds while it registers by hand, and
 * that its methods take</td></tr>
 * <tr><td>S16</td><td>two threads inside of one object that is {@code @NotThreadSafe}, be it of the
 * midlayer or of the bundle itself</td></tr>
 * <tr><td>S32</td><td>a thread, executor or timer that a client has made in its {@code add}, or
 * that a thread of the client has made, and that is alive when its {@code remove} returns</td></tr>
 * </table>
 *
 * <p>A lock is named by the field that it is read from: all locks of one field are one class of
 * locks, so one run finds orders that were never taken together. A lock that is read from no field,
 * but of a map for example, has the place where it was made for its class. Two locks of one class
 * have no order.
 *
 * <p>The calls that may block are in {@code blocking.rules} of {@code ib.verifier.weave}, one a
 * line with what to do instead, and compared with the JDK by a test. {@code tryLock}, {@code offer}
 * and {@code poll} without a time do not block, nor does {@code resultNow} of a future, while of a
 * {@code get} it is not seen whether its future is done. A channel that is configured not to block
 * may be read and written: it is asked before each call. A stream is one that may block, unless the
 * code has it as a stream of an array or a text.
 *
 * <h2>How to read a report</h2>
 *
 * <p>A report is a violation like those of the midlayer: it is in the log, in {@code ib:violations
 * -v}, in JMX as {@code ib:type=Contract}, and the event {@code ib.Violation} of Flight Recorder. A
 * place is reported once for a clause. What runs below a call that must not be made there is a
 * consequence of that call, and is not reported: one sin has one culprit. {@code ./ib exec
 * 'ib:violations'} ends with status 1 when there is one.
 *
 * <pre>{@code
 * S26 sleepy.ulp: java.lang.Thread.sleep may block and was called from a callback that must not
 *   instead: hand the work to a timer or a thread of your own, and return
 *     at sleepy.Handler.complete(Handler.java:31)
 *     at ... 9 frames of the core
 * }</pre>
 *
 * <p>First the clause, the bundle whose code did it, and what it did; then the place, with the
 * callers below it. Frames of the midlayer, of the framework and of the JDK are folded.
 *
 * <p>The command {@code ib:verifier} prints how many classes were read and woven, and in what time.
 * A class that cannot be woven, for example because its method has no space left, is loaded as it
 * is, named in the log, and counted there and by the command.
 *
 * <h2>How to try a client harder</h2>
 *
 * <p>Two system properties of the midlayer need no weaving. With {@code -Dib.roulette=SEED} the
 * completion handlers run on threads of each kind, platform and virtual, and those of independent
 * queues in an order of their own (S19, S25); the seed is a number. With {@code
 * -Dib.fail=CLIENT:STEP} the call number STEP, from 1, that the client makes through a new handle
 * fails as if there were no memory: with each number in turn, its {@code add} has to clean up, and
 * leaves no violation (B18).
 *
 * <h2>What it cannot see</h2>
 *
 * <ul>
 *   <li>the order of monitors of the JDK's own types ({@code Object}) that are read from no field;
 *   <li>threads that a library starts;
 *   <li>what a library or the JDK does inside: only the call is seen, in the code of the bundle;
 *   <li>native code;
 *   <li>classes that were loaded before the bundle was started.
 * </ul>
 */
@NullMarked
package ib.verifier;

import org.jspecify.annotations.NullMarked;
