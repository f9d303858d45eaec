package ib.cm.internal.machine;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;

/** The port of the machine, as messages describe it. */
public interface Self {
  /** {@return GUID of the adapter} */
  long caGuid();

  /** {@return number of the port, from 1} */
  int port();

  /** {@return whether the port is a RoCE port, which has no LIDs} */
  boolean ethernet();

  /** {@return the active MTU} */
  Mtu mtu();

  /** {@return an entry of the GID table} */
  Gid gid(int index);

  /** {@return index of a GID in the table, or -1} */
  int gidIndex(Gid gid);

  /** {@return the transaction ID of a connection's own messages (CM-3)} */
  long tid(int localId);
}
