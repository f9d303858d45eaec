package ib.tools.fabric;

import ib.core.mad.smp.NodeInfo;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;

/** Who is meant by an operand: a LID, with {@code -D} a directed route, with {@code -G} a GUID. */
final class Destination {
  private static final int FAILED = 255;
  private static final int LID_MOST = 0xbfff;

  private Destination() {}

  /**
   * Resolves an operand.
   *
   * @param command who asks
   * @param query asks the fabric, for a GUID
   * @param line which form
   * @param text the operand
   * @return the way
   * @throws CommandException when there is none
   */
  static Route of(String command, SmpQuery query, Parsed line, String text) {
    if (line.has("Direct")) {
      return Route.Directed.parse(text);
    }
    long number = number(text);
    if (line.has("Guid") && number != 0) {
      return new Route.Lid(lid(command, query, number, text));
    }
    if (number <= 0 || number > LID_MOST) {
      throw unresolved(command, text);
    }
    return new Route.Lid((int) number);
  }

  /** The original asks the subnet administrator; the fabric itself knows as well. */
  private static int lid(String command, SmpQuery query, long guid, String text) {
    try {
      for (Scan.Node node : Scan.of(query).nodes()) {
        for (Scan.Port port : node.ports().values()) {
          boolean found = port.guid() == guid || node.number(NodeInfo.NODE_GUID) == guid;
          if (found && port.lid() != 0) {
            return port.lid();
          }
        }
      }
    } catch (NoAnswerException e) {
      throw new CommandException(command + ": iberror: failed", e);
    }
    throw unresolved(command, text);
  }

  private static CommandException unresolved(String command, String text) {
    return new CommandException(
        FAILED, command + ": iberror: failed: can't resolve destination port " + text);
  }

  /**
   * Reads a number.
   *
   * @param text decimal, or hexadecimal after 0x
   * @return its value, 0 when it is none
   */
  static long number(String text) {
    try {
      boolean hex = text.startsWith("0x");
      return Long.parseUnsignedLong(hex ? text.substring(2) : text, hex ? 16 : 10);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
