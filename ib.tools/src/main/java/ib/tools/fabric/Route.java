package ib.tools.fabric;

import ib.tools.getopt.CommandException;
import java.util.ArrayList;
import java.util.List;

/** A route to a port. */
public sealed interface Route {

  /** {@return the route as the originals print it in a heading} */
  String text();

  /**
   * A route by LID.
   *
   * @param lid unicast LID
   */
  record Lid(int lid) implements Route {
    @Override
    public String text() {
      return "Lid " + lid;
    }
  }

  /**
   * A directed route, by the outgoing port of each hop (IBA 14.2.2).
   *
   * @param hops one port for each hop; empty for the local node
   */
  record Directed(List<Integer> hops) implements Route {
    private static final int MAX_HOPS = 63;

    /** Copies the list. */
    public Directed {
      hops = List.copyOf(hops);
    }

    /**
     * Parses a directed route.
     *
     * @param command name of the command, for messages
     * @param text for example {@code 0,1,3}; the leading 0 is the local node
     * @return the route
     * @throws CommandException when the text is no route
     */
    static Directed parse(String command, String text) {
      List<Integer> hops = new ArrayList<>();
      String why = "can't resolve destination port " + text;
      for (String part : text.split(",", -1)) {
        if (!part.matches("[0-9]{1,3}") || Integer.parseInt(part) > 254) {
          throw CommandException.iberror(command, why, null);
        }
        hops.add(Integer.parseInt(part));
      }
      hops.removeFirst();
      if (hops.size() > MAX_HOPS) {
        throw CommandException.iberror(command, why, null);
      }
      return new Directed(hops);
    }

    /** {@return this route with one more hop} */
    Directed then(int port) {
      List<Integer> longer = new ArrayList<>(hops);
      longer.add(port);
      return new Directed(longer);
    }

    @Override
    public String text() {
      StringBuilder out = new StringBuilder("DR path slid 65535; dlid 65535; 0");
      hops.forEach(h -> out.append(',').append(h));
      return out.toString();
    }
  }
}
