package ib.core.verbs;

import java.util.List;

/** The object cannot be closed while others use it. */
public class IbBusyException extends IbException {
  private static final long serialVersionUID = 1L;

  private final String[] users;

  /**
   * Reports errno EBUSY.
   *
   * @param what what was attempted
   * @param users who uses the object, one description each; not empty
   */
  public IbBusyException(String what, List<String> users) {
    super(
        Errno.EBUSY,
        what,
        "in use by " + String.join(", ", users),
        users.size() == 1 ? "close it first" : "close these " + users.size() + " first");
    this.users = users.toArray(new String[0]);
  }

  /** {@return who uses the object; cannot be changed} */
  public List<String> users() {
    return List.of(users);
  }
}
