package ib.core.verbs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The core's book of one object: owner, life, references. The core creates it, the driver passes it
 * unopened to the constructor of {@link IbObject}; a ULP never sees it.
 *
 * <p>Life: RESERVED (made by {@link #child}) → LIVE ({@link #publish}) → CLOSING → CLOSED, or
 * POISONED when the client or its device went away first (D2, CC-20).
 */
public interface ObjectControl {

  /** What kind of object a book is about. */
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

  /** The driver could not make the object: references are given back. */
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
