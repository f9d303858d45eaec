package samples.nvmet;

/**
 * The thing that hosts connect to.
 *
 * @param nqn its name, 1 to 223 characters, for example {@code nqn.2026-11.example:disk}
 * @param store its only namespace, with NSID 1
 */
public record Subsystem(String nqn, Store store) {
  /** The name of the service that lists subsystems. */
  static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

  private static final int MAX_NQN = 223;

  /** Checks the name. */
  public Subsystem {
    boolean plain = nqn.chars().allMatch(c -> c > ' ' && c < 0x7f);
    if (nqn.isEmpty() || nqn.length() > MAX_NQN || !plain || nqn.equals(DISCOVERY)) {
      throw new IllegalArgumentException("no name of a subsystem: " + nqn);
    }
  }
}
