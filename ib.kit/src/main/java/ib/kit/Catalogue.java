package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** All cases, in order. Numbers inside a section follow its order, so new cases go to its end. */
public final class Catalogue {
  private static final List<QpType> SERVICES = List.of(QpType.RC, QpType.UC, QpType.UD);

  private final List<Case> cases = new ArrayList<>();

  private Catalogue() {}

  /** {@return all cases of the suite} */
  public static List<Case> cases() {
    Catalogue c = new Catalogue();
    DataCases.add(c);
    DataOptionCases.add(c);
    SharedCases.add(c);
    OrderCases.add(c);
    DatagramCases.add(c);
    LargeSendCases.add(c);
    AtomicCases.add(c);
    MemoryCases.add(c);
    RemoteErrorCases.add(c);
    LocalErrorCases.add(c);
    FlushCases.add(c);
    StateCases.add(c);
    SendQueueCases.add(c);
    LifeCases.add(c);
    LimitCases.add(c);
    CallbackCases.add(c);
    ManagedCases.add(c);
    ReentrancyCases.add(c);
    RemovalCases.add(c);
    EventCases.add(c);
    QueryCases.add(c);
    DeadlockCases.add(c);
    AnyContextCases.add(c);
    HeldLockCases.add(c);
    return List.copyOf(c.cases);
  }

  /**
   * Finds a case.
   *
   * @param id its id
   * @return the case
   * @throws IllegalArgumentException when there is none
   */
  public static Case find(String id) {
    return cases().stream()
        .filter(c -> c.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no case " + id));
  }

  Section section(String prefix, int first, String group, Cap... needs) {
    return new Section(prefix, first, group, Set.of(needs));
  }

  /** The code of a case of a connected pair. */
  @FunctionalInterface
  interface OnPair {
    void run(Trial t, Pair p) throws Exception;
  }

  /** The code of a case of one end. */
  @FunctionalInterface
  interface OnEnd {
    void run(Trial t, End e) throws Exception;
  }

  /** A run of cases with consecutive numbers. */
  final class Section {
    private final String prefix;
    private final String group;
    private final Set<Cap> needs;
    private int next;
    private boolean lossless;
    private boolean limits;
    private UnaryOperator<Shape> shaped = UnaryOperator.identity();

    Section(String prefix, int first, String group, Set<Cap> needs) {
      this.prefix = prefix;
      this.group = group;
      this.needs = needs;
      this.next = first;
    }

    /** The cases need a fabric that loses nothing. */
    Section lossless() {
      lossless = true;
      return this;
    }

    /** The cases want a device with small limits. */
    Section limits() {
      limits = true;
      return this;
    }

    Section add(String name, Case.Body body, Cap... more) {
      Set<Cap> all = new LinkedHashSet<>(needs);
      all.addAll(List.of(more));
      String id = "%s-%03d".formatted(prefix, next++);
      // what is lost on UC and UD does not come again
      boolean quiet = lossless || all.contains(Cap.UC) || all.contains(Cap.UD);
      cases.add(new Case(id, group, name, all, quiet, limits, body));
      return this;
    }

    /** The pairs and ends that the next cases get differ from the usual ones by this. */
    Section shaped(UnaryOperator<Shape> difference) {
      shaped = difference;
      return this;
    }

    /** Adds a case that gets a connected pair of the service that it needs. */
    Section pair(String name, OnPair body, Cap... more) {
      Shape shape = shape(more);
      return add(name, t -> body.run(t, t.pair(shape)), more);
    }

    /** Adds a case that gets an end on the first device, of the service that it needs. */
    Section end(String name, OnEnd body, Cap... more) {
      Shape shape = shape(more);
      return add(name, t -> body.run(t, t.end(t.left(), shape)), more);
    }

    /** The case's own service goes before that of the section. */
    private Shape shape(Cap... more) {
      QpType type =
          Stream.concat(Stream.of(more), needs.stream())
              .flatMap(cap -> SERVICES.stream().filter(each -> DataOptionCases.cap(each) == cap))
              .findFirst()
              .orElseThrow();
      return shaped.apply(Shape.of(type));
    }
  }
}
