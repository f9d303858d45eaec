package ib.core.verbs;

/**
 * The fields of the global route header, or of the IP header on RoCE v2 (IBA vol. 1 section 8.3).
 *
 * @param dgid destination GID, or the multicast group
 * @param flowLabel flow label, 20 bits
 * @param sgidIndex index of the source in the GID table of the port, 0 and up
 * @param hopLimit hop limit, 0 to 255; 64 is usual on RoCE, 1 stays in the subnet
 * @param trafficClass traffic class (DSCP and ECN on RoCE v2), 0 to 255
 */
public record GlobalRoute(Gid dgid, int flowLabel, int sgidIndex, int hopLimit, int trafficClass) {

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is out of its range
   */
  public GlobalRoute {
    IbInvalidException.given(dgid, "GlobalRoute", "dgid");
    Range.check("flowLabel", flowLabel, 0xFFFFF);
    Range.check("sgidIndex", sgidIndex, 0xFFFF);
    Range.check("hopLimit", hopLimit, 0xFF);
    Range.check("trafficClass", trafficClass, 0xFF);
  }

  /**
   * A route with flow label 0, hop limit 64 and traffic class 0.
   *
   * @param dgid destination GID, or the multicast group
   * @param sgidIndex index of the source in the GID table of the port, 0 and up
   * @return the route
   * @throws IbInvalidException if the index is out of range
   */
  public static GlobalRoute to(Gid dgid, int sgidIndex) {
    return new GlobalRoute(dgid, 0, sgidIndex, 64, 0);
  }
}
