package ib.tools.fabric;

import ib.core.mad.smp.NodeInfo;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;

/**
 * Resolves an operand to a route: a LID, with {@code -D} a directed route, with {@code -G} a GUID.
 */
final class Destination {
  private static final int MAX_LID = 0xbfff;

  private Destination() {}

  /**
   * Resolves an operand.
   *
   * @param command name of the command, for messages
   * @param query sends queries, to find a GUID
   * @param line options that say how the operand is read
   * @param text the operand
   * @return the route
   * @throws CommandException when there is none
   */
  static Route of(String command, SmpQuery query, Parsed line, String text) {
    if (line.has("Direct")) {
      return Route.Directed.parse(command, text);
    }
    long number = number(text);
    if (line.has("Guid") && number != 0) {
      return new Route.Lid(lid(command, query, number, text));
    }
    if (number <= 0 || number > MAX_LID) {
      throw unresolved(command, text);
    }
    return new Route.Lid((int) number);
  }

  /**
   * {@return the LID of a GUID} The original queries the subnet administrator; this command scans
   * the fabric.
   */
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
      throw CommandException.iberror(command, "no scan for the GUID", e);
    }
    throw unresolved(command, text);
  }

  private static CommandException unresolved(String command, String text) {
    return CommandException.iberror(command, "can't resolve destination port " + text, null);
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
