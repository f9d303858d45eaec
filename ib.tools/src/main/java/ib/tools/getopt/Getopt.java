package ib.tools.getopt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses options as GNU getopt_long does: clusters of short options, attached or separate
 * arguments, long options with {@code =}, unique abbreviations, options after operands; {@code --}
 * ends the options. Immutable after {@link #failing}.
 */
public final class Getopt {
  private final String program;
  private final String usage;
  private final @Nullable String message;
  private final List<Spec> specs;
  private int status = 1;
  private boolean output;

  /** One known option, or one of the original that is absent here. */
  private record Spec(char letter, String name, boolean hasArgument, boolean absent) {

    static Spec of(String form) {
      boolean absent = form.startsWith("!");
      String text = absent ? form.substring(1) : form;
      boolean argument = text.endsWith("=");
      int comma = text.indexOf(',');
      String name = text.substring(comma + 1, text.length() - (argument ? 1 : 0));
      return new Spec(comma == 0 ? 0 : text.charAt(0), name, argument, absent);
    }
  }

  /**
   * Creates a parser for the options of one command.
   *
   * @param program name of the command, for messages
   * @param usage text after a message, without the last line's end
   * @param options each {@code "d,ib-dev="}: a letter (may be missing), the long name, {@code =}
   *     when it takes an argument. A {@code !} before it names an option of the original that is
   *     absent here and whose name would be taken for the abbreviation of another
   */
  public Getopt(String program, String usage, String... options) {
    this(program, usage, null, options);
  }

  private Getopt(String program, String usage, @Nullable String message, String... options) {
    this.program = program;
    this.usage = usage;
    this.message = message;
    this.specs = Arrays.stream(options).map(Spec::of).toList();
  }

  /**
   * Returns a parser for a program that suppresses getopt's messages.
   *
   * @param message the program's own message for any wrong option
   * @param usage text after the message, without the last line's end
   * @param options as in the constructor
   * @return the options of the program
   */
  public static Getopt silent(String message, String usage, String... options) {
    return new Getopt("", usage, message, options);
  }

  /**
   * Says how a refusal ends the program; status 1 and the standard error without this call.
   *
   * @param with exit status
   * @param onOutput whether the usage belongs to the standard output
   * @return this
   */
  public Getopt failing(int with, boolean onOutput) {
    status = with;
    output = onOutput;
    return this;
  }

  private CommandException failure(String text) {
    return new CommandException(status, text, output);
  }

  /**
   * Reads a command line.
   *
   * @param args the words after the command's name
   * @return options and operands in their order
   * @throws CommandException with getopt's message and the usage
   */
  public Parsed parse(String... args) {
    List<Parsed.Option> options = new ArrayList<>();
    List<String> operands = new ArrayList<>();
    int i = 0;
    while (i < args.length) {
      String arg = args[i++];
      if (arg.equals("--")) {
        operands.addAll(Arrays.asList(args).subList(i, args.length));
        break;
      } else if (arg.startsWith("--")) {
        i += longOption(arg.substring(2), i < args.length ? args[i] : null, options);
      } else if (arg.length() > 1 && arg.charAt(0) == '-') {
        i += cluster(arg, i < args.length ? args[i] : null, options);
      } else {
        operands.add(arg);
      }
    }
    return new Parsed(this, options, operands);
  }

  /** {@return the usage alone, for an option that asks for it} */
  public CommandException usage() {
    return failure(usage);
  }

  /**
   * Refuses a value or an operand. The originals print their usage alone; the line before it is
   * ours.
   *
   * @param why the reason, in one line
   * @return the exception: the reason, and the usage
   */
  public CommandException refusal(String why) {
    return failure((program.isEmpty() ? "" : program + ": ") + why + "\n" + usage);
  }

  private CommandException noOption(String text) {
    return message == null ? refusal(text) : failure(message + "\n" + usage);
  }

  /** Parses a long option. {@return how many of the following words it used} */
  private int longOption(String text, @Nullable String following, List<Parsed.Option> into) {
    int equals = text.indexOf('=');
    String name = equals < 0 ? text : text.substring(0, equals);
    Spec spec = find(name, text);
    if (!spec.hasArgument) {
      if (equals >= 0) {
        throw noOption("option '--" + spec.name + "' doesn't allow an argument");
      }
      into.add(new Parsed.Option(spec.name, ""));
      return 0;
    }
    if (equals >= 0) {
      into.add(new Parsed.Option(spec.name, text.substring(equals + 1)));
      return 0;
    }
    if (following == null) {
      throw noOption("option '--" + spec.name + "' requires an argument");
    }
    into.add(new Parsed.Option(spec.name, following));
    return 1;
  }

  private Spec find(String name, String text) {
    List<Spec> found = specs.stream().filter(s -> s.name.startsWith(name)).toList();
    for (Spec s : found) {
      if (s.name.equals(name)) {
        if (s.absent) {
          throw noOption("unrecognized option '--" + text + "'");
        }
        return s;
      }
    }
    found = found.stream().filter(s -> !s.absent).toList();
    if (found.isEmpty()) {
      throw noOption("unrecognized option '--" + text + "'");
    }
    if (found.size() > 1) {
      String names = found.stream().map(s -> "'--" + s.name + "'").collect(Collectors.joining(" "));
      throw noOption("option '--" + text + "' is ambiguous; possibilities: " + names);
    }
    return found.getFirst();
  }

  /** Parses a cluster of short options. {@return how many of the following words it used} */
  private int cluster(String arg, @Nullable String following, List<Parsed.Option> into) {
    for (int k = 1; k < arg.length(); k++) {
      char letter = arg.charAt(k);
      Spec spec =
          specs.stream()
              .filter(s -> s.letter == letter)
              .findFirst()
              .orElseThrow(() -> noOption("invalid option -- '" + letter + "'"));
      if (!spec.hasArgument) {
        into.add(new Parsed.Option(spec.name, ""));
      } else if (k + 1 < arg.length()) {
        into.add(new Parsed.Option(spec.name, arg.substring(k + 1)));
        return 0;
      } else if (following == null) {
        throw noOption("option requires an argument -- '" + letter + "'");
      } else {
        into.add(new Parsed.Option(spec.name, following));
        return 1;
      }
    }
    return 0;
  }
}
