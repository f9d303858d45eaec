package ib.core.verbs;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The core's book of one object: owner, life, references. The core creates it, the driver passes it
 * unopened to the constructor of {@link IbObject}; a ULP never sees it.
 *
 * <p>Life: RESERVED (made by {@link #child}) → LIVE ({@link #publish}) → CLOSING → CLOSED, or
 * POISONED when the client or its device went away first (D2, CC-20).
 */
public interface ObjectControl {

  /** The kind of object that a record is about. */
  enum Kind {
    /** The device itself, as a client sees it. */
    DEVICE,
    /** Protection domain. */
    PD,
    /** Completion queue. */
    CQ,
    /** Queue pair. */
    QP,
    /** Shared receive queue. */
    SRQ,
    /** Memory region. */
    MR,
    /** Memory window. */
    MW,
    /** Address handle. */
    AH
  }

  /** The amounts that the limits of a client count besides its objects; an object holds some. */
  enum Amount {
    /** Entries of completion queues. */
    CQ_ENTRIES,
    /** Work requests that fit into send, receive and shared receive queues. */
    WORK_REQUESTS,
    /** Bytes of memory that regions own ({@link ProtectionDomain#allocMemory}). */
    ALLOCATED,
    /** Bytes of the caller's own memory that regions map. */
    REGISTERED
  }

  /** {@return the kind} */
  Kind kind();

  /** {@return the number that introspection shows, unique per device and kind} */
  long id();

  /** {@return the device as the owner sees it} */
  IbDevice device();

  /** {@return the client that owns the object, as introspection shows it} */
  String owner();

  /**
   * Guards the entry of a control path method.
   *
   * @param method the name, for the report
   * @throws IbDisassociatedException when the handle is poisoned or its device gone
   * @throws IbInvalidException when the object is closed
   * @throws IbContractException when called from an atomic section while checking is on (S1, S26)
   */
  void enter(String method);

  /**
   * Guards the entry of a method that any context may call: as {@link #enter} without the atomic
   * section check.
   *
   * @param method the name, for the report
   */
  void enterAnyContext(String method);

  /**
   * Refuses null where something has to be given.
   *
   * @param value what the caller gave
   * @param method the method, for the error
   * @param name the argument's name
   * @param <T> its type
   * @return the value
   * @throws IbInvalidException when it is null
   */
  default <T> T given(@Nullable T value, String method, String name) {
    return value == null ? IbInvalidException.given(value, this + "." + method, name) : value;
  }

  /**
   * Does the work of a control path method; when the process has no memory for it, or the object is
   * taken away meanwhile and that is why the work is refused, the error is the promised one.
   *
   * @param method the method, for the error
   * @param work the driver's part, or the core's
   * @param <T> type of the result
   * @return what the work returns
   * @throws IbNoMemoryException when there is no memory
   * @throws IbDisassociatedException when the object has gone meanwhile (CC-20)
   */
  default <T extends @Nullable Object> T call(String method, Supplier<T> work) {
    try {
      return work.get();
    } catch (OutOfMemoryError e) {
      throw IbNoMemoryException.of(this + "." + method, e);
    } catch (IbInvalidException e) {
      enterAnyContext(method); // tells of the object, when it is not what it was
      throw e;
    }
  }

  /**
   * As {@link #call}, without a result.
   *
   * @param method the method, for the error
   * @param work the driver's part, or the core's
   */
  default void run(String method, Runnable work) {
    call(
        method,
        () -> {
          work.run();
          return null;
        });
  }

  /**
   * The object is to hold at least that much, before the driver provides it.
   *
   * @param what of what
   * @param amount how much
   * @return what it held before
   * @throws IbNoMemoryException when the client would have more than its limit
   */
  default long grow(Amount what, long amount) {
    return 0;
  }

  /**
   * The object holds exactly that much now; never refused.
   *
   * @param what of what
   * @param amount how much
   */
  default void settle(Amount what, long amount) {}

  /**
   * The driver has seen that the client breaks a clause with the object. Called from any context,
   * on the thread that does so; a repetition at the same place is only counted.
   *
   * @param clause the clause, for example {@code S16}
   * @param what what the client did, as the rest of a sentence that begins with the object's name
   * @param instead what to do instead
   */
  @AnyContext
  void broken(String clause, String what, String instead);

  /**
   * Reserves the book of a new object and takes a reference on every object it uses, so that none
   * of them can be destroyed meanwhile.
   *
   * @param kind what will be created
   * @param uses the objects it uses; all must be live and of the same device and client
   * @return the book of the new object
   * @throws IbInvalidException when one is closed or of another device or client
   */
  ObjectControl child(Kind kind, IbObject... uses);

  /**
   * The driver has made the object: it is live and visible from now on.
   *
   * @param self the object
   * @param destroyer lets the driver destroy it; the core calls it exactly once
   */
  void publish(IbObject self, Runnable destroyer);

  /** Releases the references, because the driver could not make the object. */
  void abort();

  /**
   * Destroys the object: refuses while in use, hides it from introspection, waits for readers, lets
   * the driver destroy it, gives references back. A second call is a no-op.
   *
   * @throws IbBusyException naming the users
   */
  void destroy();

  /**
   * Runs a callback of this object's owner later, on the owner's serial event queue (S20, S47).
   *
   * @param event the event
   */
  void raise(IbEvent event);

  /**
   * Wraps an event handler of this object's owner for the driver: called directly, it reports a
   * driver that does so from the call chain of a verb (S20), and hands over to the queue of {@link
   * #raise}.
   *
   * @param handler the owner's handler, or null
   * @return what the driver is given, or null
   */
  default @Nullable EventHandler guard(@Nullable EventHandler handler) {
    return handler;
  }

  /** {@return how many objects use this one} */
  int useCount();

  /** {@return the objects that use this one} */
  List<IbObject> users();

  /** {@return whether the object is live} */
  boolean isLive();
}
