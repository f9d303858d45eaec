package ib.bench.connect;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/**
 * {@code bench/connect [--rounds n] [--connections n] [--singles n]}: connections made one after
 * the other, and many at once, by TCP, over the soft fabric and over rxe, in turn in each round.
 * The first two rounds warm up and do not count. Prints medians over the rounds, with the least and
 * the most. {@code --open n [--lossy n]}: n connections that are open at once, see {@link Open};
 * the last of three rounds counts.
 */
public final class Connects {
  private static final int WARM = 2;
  private static final double US = 1e3;
  private static final double MS = 1e6;
  private static final double S = 1e9;
  private static final double P99 = 0.99;

  /** The figures of a net, a value for each round. */
  private enum Figure {
    P50("one, p50, us"),
    P99("one, p99, us"),
    MADE("all made, ms"),
    ENDED("all ended, ms"),
    RATE("made and ended, 1/s");

    private final String text;

    Figure(String text) {
      this.text = text;
    }
  }

  private final int rounds;
  private final int connections;
  private final int singles;
  private final List<Net> nets = new ArrayList<>();
  private final double[][][] figures; // of a net, of a figure, of a round

  private Connects(int rounds, int connections, int singles) throws Exception {
    this.rounds = rounds;
    this.connections = connections;
    this.singles = singles;
    nets.add(new TcpNet());
    SoftFabric fabric = SoftFabric.open("soft0", "soft1");
    InetAddress one = InetAddress.getByAddress(fabric.device("soft0").gid(1, 0).toBytes());
    InetAddress two = InetAddress.getByAddress(fabric.device("soft1").gid(1, 0).toBytes());
    nets.add(new RdmaNet("soft fabric", fabric, one, two));
    String a = "127.0.91.1";
    String b = "127.0.91.2";
    RxeHost host = RxeHost.open(a, b);
    nets.add(new RdmaNet("rxe", host, InetAddress.getByName(a), InetAddress.getByName(b)));
    figures = new double[nets.size()][Figure.values().length][rounds];
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
    List<String> words = Arrays.asList(args);
    if (words.contains("--open")) {
      open(number(words, "--open", 0), number(words, "--lossy", 1_000));
      return;
    }
    Connects run =
        new Connects(
            number(words, "--rounds", 5),
            number(words, "--connections", 1_000),
            number(words, "--singles", 500));
    run.measure();
    run.print();
    for (Net net : run.nets.reversed()) {
      net.close();
    }
  }

  private static void open(int count, int lossy) throws Exception {
    System.out.println(
        "| | all made, ms | heap each, B | more threads | device removed, ms | peers have heard |"
            + " all closed, ms | lost, refused, sent again |");
    System.out.println("|---".repeat(8) + "|");
    SoftFabric fabric = SoftFabric.open("soft0", "soft1");
    InetAddress one = InetAddress.getByAddress(fabric.device("soft0").gid(1, 0).toBytes());
    InetAddress two = InetAddress.getByAddress(fabric.device("soft1").gid(1, 0).toBytes());
    Open soft = new Open(fabric, one, two);
    for (int round = 0; round <= WARM; round++) {
      soft.open("soft fabric", count, false);
      soft.open("soft fabric", count, true);
    }
    soft.lossy("soft fabric", lossy);
    soft.end();
    String a = "127.0.92.1";
    String b = "127.0.92.2";
    Open rxe = new Open(RxeHost.open(a, b), InetAddress.getByName(a), InetAddress.getByName(b));
    for (int round = 0; round <= WARM; round++) {
      rxe.open("rxe", count, false);
    }
    rxe.lossy("rxe", lossy);
    rxe.end();
  }

  private static int number(List<String> words, String option, int usual) {
    int at = words.indexOf(option);
    return at < 0 ? usual : Integer.parseInt(words.get(at + 1));
  }

  private void measure() throws Exception {
    for (int round = -WARM; round < rounds; round++) {
      for (int i = 0; i < nets.size(); i++) {
        double[] each = measure(nets.get(i));
        for (int f = 0; f < each.length && round >= 0; f++) {
          figures[i][f][round] = each[f];
        }
      }
    }
  }

  /** Returns a value for each figure. */
  private double[] measure(Net net) throws Exception {
    double[] one = new double[singles];
    for (int i = 0; i < singles; i++) {
      long begun = System.nanoTime();
      Net.Made made = net.begin().get();
      one[i] = (System.nanoTime() - begun) / US;
      made.disconnect();
      made.close();
    }
    Arrays.sort(one);
    long begun = System.nanoTime();
    List<Net.Making> makings = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      makings.add(net.begin());
    }
    List<Net.Made> all = new ArrayList<>();
    for (Net.Making making : makings) {
      all.add(making.get());
    }
    long made = System.nanoTime();
    for (Net.Made each : all) {
      each.disconnect();
    }
    for (Net.Made each : all) {
      each.close();
    }
    long ended = System.nanoTime();
    return new double[] {
      one[singles / 2],
      one[(int) (singles * P99)],
      (made - begun) / MS,
      (ended - made) / MS,
      connections * S / (ended - begun)
    };
  }

  private void print() {
    StringBuilder head =
        new StringBuilder("| " + connections + " at once, " + singles + " singly |");
    for (Figure figure : Figure.values()) {
      head.append(' ').append(figure.text).append(" |");
    }
    System.out.println(head);
    System.out.println("|---".repeat(Figure.values().length + 1) + "|");
    for (int i = 0; i < nets.size(); i++) {
      StringBuilder row = new StringBuilder("| " + nets.get(i).name() + " |");
      for (double[] each : figures[i]) {
        double[] sorted = each.clone();
        Arrays.sort(sorted);
        row.append(
            String.format(
                Locale.ROOT,
                " %,.0f (%,.0f to %,.0f) |",
                sorted[rounds / 2],
                sorted[0],
                sorted[rounds - 1]));
      }
      System.out.println(row);
    }
  }
}
