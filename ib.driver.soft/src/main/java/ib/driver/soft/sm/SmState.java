package ib.driver.soft.sm;

import org.jspecify.annotations.Nullable;

/**
 * The states of a subnet manager, and what takes it from one to another (IBA 14.4.1). The ordinal
 * is SMState of SMInfo.
 */
enum SmState {
  /** Does nothing until it receives STANDBY. */
  NOT_ACTIVE,
  /** Looks who else is there. */
  DISCOVERING,
  /** Watches the master. */
  STANDBY,
  /** Manages the subnet. */
  MASTER;

  /**
   * The events of a subnet manager: five are SubnSet(SMInfo) commands, the manager finds others.
   */
  enum Signal {
    /** The master gives the subnet to it. */
    HANDOVER(1),
    /** Whom it gave the subnet to has taken it. */
    ACKNOWLEDGE(2),
    /** The master wants it to be quiet. */
    DISABLE(3),
    /** The master wants it to stand by again. */
    STANDBY(4),
    /** The master wants it to look who is there. */
    DISCOVER(5),
    /** No manager is the master, and no peer outranks this manager. */
    ALONE(0),
    /** Another manager is the master, or a peer outranks this manager. */
    OUTRANKED(0),
    /** The master it watched is silent, or gone. */
    LOST(0),
    /** Whom it gave the subnet to has answered that. */
    HANDED_OVER(0),
    /** This manager has priority 0 and gives way to a peer. */
    YIELDED(0),
    /** The peer to which this manager gave way has gone. */
    RECALLED(0);

    private final int modifier;

    Signal(int modifier) {
      this.modifier = modifier;
    }

    /** {@return the attribute modifier of the SubnSet(SMInfo) that tells it} */
    int modifier() {
      return modifier;
    }

    /** {@return what an attribute modifier tells, or null} */
    static @Nullable Signal of(int modifier) {
      for (Signal s : values()) {
        if (modifier != 0 && s.modifier == modifier) {
          return s;
        }
      }
      return null;
    }

    /** {@return the state in which who sends it must be} */
    SmState sender() {
      return this == ACKNOWLEDGE ? SmState.STANDBY : MASTER;
    }
  }

  /** The state after a signal; null for one that does not belong here. */
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

  /** {@return the state after a signal, or null when it does not belong here} */
  @Nullable SmState after(Signal signal) {
    return AFTER[ordinal()][signal.ordinal()];
  }
}
