/**
 * The compatibility suite: what a device must do, as named JUnit cases over the public API. A
 * driver's tests extend {@link ib.kit.DeviceContract} and say in one method how two devices on one
 * fabric are made ({@link ib.kit.Bench}); everything else is here.
 *
 * <p>Each case runs on a thread of its own, which the suite starts and watches; cases run one after
 * the other. Nothing here is a bundle: it is on the test class path of a driver, or the launcher's
 * command {@code ib kit} loads it ({@link ib.kit.Judge}), which judges a driver's jar.
 *
 * <p>Text: the kernel's "InfiniBand Midlayer Locking" (clauses S), IBA vol. 1 chapters 9 to 11.
 *
 * <p>Locks: one case of {@code QueueSubjects} has a monitor, by which its two threads choose
 * different groups.
 */
package ib.kit;
