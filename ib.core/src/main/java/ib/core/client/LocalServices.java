package ib.core.client;

/**
 * Filters for OSGi services of this runtime. An implementation of Remote Services imports what
 * bundles wait for; another host's {@code IbClient} or {@code IbDevice} is none of this midlayer,
 * so what looks for services of ib, or for ib, asks with one of these.
 */
public final class LocalServices {
  /** For services that are not imported from another runtime: the target of each reference. */
  public static final String ONLY = "(!(service.imported=*))";

  private LocalServices() {}

  /**
   * {@return a filter for local services of one type}
   *
   * @param type name of the type
   */
  public static String of(String type) {
    return and("(objectClass=" + type + ")");
  }

  /**
   * {@return a filter for local services that match another filter}
   *
   * @param filter the other filter
   */
  public static String and(String filter) {
    return "(&" + filter + ONLY + ")";
  }
}
