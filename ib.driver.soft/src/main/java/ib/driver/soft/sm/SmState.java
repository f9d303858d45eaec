package ib.driver.soft.sm;

import org.jspecify.annotations.Nullable;

/**
 * The states of a subnet manager, and the signals that change its state (IBA 14.4.1). The ordinal
 * is SMState of SMInfo.
 */
enum SmState {
  /** The manager does nothing until it receives STANDBY. */
  NOT_ACTIVE,
  /** The manager looks for other managers. */
  DISCOVERING,
  /** The manager polls the master. */
  STANDBY,
  /** The manager is the master. */
  MASTER;

  /**
   * The signals of a subnet manager: five are SubnSet(SMInfo) commands of another manager, the
   * others are findings of this manager.
   */
  enum Signal {
    /** The master hands the subnet over to this manager. */
    HANDOVER(1),
    /** The manager that got the subnet from this manager has taken it. */
    ACKNOWLEDGE(2),
    /** The master commands this manager to do nothing. */
    DISABLE(3),
    /** The master commands this manager to stand by again. */
    STANDBY(4),
    /** The master commands this manager to look for other managers. */
    DISCOVER(5),
    /** No manager is the master, and no peer outranks this manager. */
    ALONE(0),
    /** Another manager is the master, or a peer outranks this manager. */
    OUTRANKED(0),
    /** The master that this manager polled does not answer, or is gone. */
    LOST(0),
    /** The manager that got the subnet from this manager has answered the HANDOVER. */
    HANDED_OVER(0),
    /** This manager has priority 0 and gives way to a peer. */
    YIELDED(0),
    /** The peer to which this manager gave way has gone. */
    RECALLED(0);

    /** The attribute modifier of the SubnSet(SMInfo) for this signal. */
    final int modifier;

    Signal(int modifier) {
      this.modifier = modifier;
    }

    /** {@return the signal of an attribute modifier, or null} */
    static @Nullable Signal of(int modifier) {
      for (Signal s : values()) {
        if (modifier != 0 && s.modifier == modifier) {
          return s;
        }
      }
      return null;
    }

    /** {@return the state in which the sender of this signal must be} */
    SmState sender() {
      return this == ACKNOWLEDGE ? SmState.STANDBY : MASTER;
    }
  }

  /** The state after each signal; null where the signal is not allowed. */
  private static final @Nullable SmState[][] AFTER = {
    // HANDOVER, ACKNOWLEDGE, DISABLE, STANDBY, DISCOVER,
    //   ALONE, OUTRANKED, LOST, HANDED_OVER, YIELDED, RECALLED
    { // NOT_ACTIVE
      null, null, null, STANDBY, null, null, null, null, null, null, DISCOVERING
    },
    { // DISCOVERING
      DISCOVERING, null, null, null, null, MASTER, STANDBY, null, null, NOT_ACTIVE, null
    },
    { // STANDBY
      MASTER,
      STANDBY,
      NOT_ACTIVE,
      null,
      DISCOVERING,
      null,
      null,
      DISCOVERING,
      null,
      NOT_ACTIVE,
      null
    },
    { // MASTER
      MASTER, STANDBY, null, null, DISCOVERING, null, null, null, STANDBY, NOT_ACTIVE, null
    },
  };

  /** {@return the state after a signal, or null when the signal is not allowed in this state} */
  @Nullable SmState after(Signal signal) {
    return AFTER[ordinal()][signal.ordinal()];
  }
}
