package ib.core.mad;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.util.Set;

/**
 * The datagrams that an agent sends and receives (M3). A port has at most one agent for each method
 * of a class and version (and OUI).
 *
 * @param qpType {@link QpType#SMI} or {@link QpType#GSI}
 * @param mgmtClass class, see {@link MgmtClass}; 0 for an agent that only sends
 * @param classVersion version of the class
 * @param methods methods of requests that the agent answers, see {@link MadMethod}; may be empty
 * @param oui 24 bits, of the vendor classes 0x30 to 0x4f; else 0
 * @param rmpp whether the layer cuts and joins messages of this agent's class (M7); without, each
 *     datagram is the agent's own business
 */
public record MadRegistration(
    QpType qpType, int mgmtClass, int classVersion, Set<Integer> methods, int oui, boolean rmpp) {

  /**
   * Checks what goes together.
   *
   * @throws IbInvalidException if it does not
   */
  public MadRegistration {
    methods = Set.copyOf(methods);
    if (qpType != QpType.SMI && qpType != QpType.GSI) {
      throw refusal("queue pair type " + qpType, "SMI or GSI");
    }
    if (mgmtClass != 0 && MgmtClass.smi(mgmtClass) != (qpType == QpType.SMI)) {
      throw refusal(
          "class 0x" + Integer.toHexString(mgmtClass) + " on " + qpType,
          "classes 0x01 and 0x81 on SMI, all others on GSI (IBA 13.4.4)");
    }
    if (mgmtClass == 0 && !methods.isEmpty()) {
      throw refusal("methods " + methods + " without a class", "the class they belong to");
    }
    if (methods.stream().anyMatch(m -> m < 1 || m > 127)) {
      throw refusal("methods " + methods, "1 to 127, without the response bit");
    }
    if (oui < 0 || oui > 0xffffff || oui != 0 && !MgmtClass.vendorOui(mgmtClass)) {
      throw refusal("OUI " + oui, "24 bits, of classes 0x30 to 0x4f");
    }
    if (rmpp && !MgmtClass.rmpp(mgmtClass)) {
      throw refusal("RMPP for class " + mgmtClass, "a class that has the header (IBA 13.6.2)");
    }
  }

  private static IbInvalidException refusal(String why, String hint) {
    return new IbInvalidException("MadRegistration", why, hint);
  }

  /**
   * An agent that sends requests and gets the responses, nothing else.
   *
   * @param qpType {@link QpType#SMI} or {@link QpType#GSI}
   * @return the registration
   */
  public static MadRegistration sender(QpType qpType) {
    return new MadRegistration(qpType, 0, 0, Set.of(), 0, false);
  }

  /**
   * An agent of subnet management; one for each of the two routings.
   *
   * @param mgmtClass {@link MgmtClass#SUBN_LID_ROUTED} or {@link MgmtClass#SUBN_DIRECTED_ROUTE}
   * @param methods methods of requests it answers
   * @return the registration
   */
  public static MadRegistration smi(int mgmtClass, Integer... methods) {
    return new MadRegistration(QpType.SMI, mgmtClass, 1, Set.of(methods), 0, false);
  }

  /**
   * An agent of subnet administration, either side, with RMPP.
   *
   * @param methods methods of requests it answers
   * @return the registration
   */
  public static MadRegistration sa(Integer... methods) {
    return new MadRegistration(QpType.GSI, MgmtClass.SUBN_ADM, 2, Set.of(methods), 0, true);
  }

  /**
   * An agent of a general class without RMPP.
   *
   * @param mgmtClass class
   * @param classVersion version of the class
   * @param methods methods of requests it answers
   * @return the registration
   */
  public static MadRegistration gsi(int mgmtClass, int classVersion, Integer... methods) {
    return new MadRegistration(QpType.GSI, mgmtClass, classVersion, Set.of(methods), 0, false);
  }
}
