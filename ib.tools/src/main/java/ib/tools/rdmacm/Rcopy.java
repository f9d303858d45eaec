package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.RdmaStreamListener;
import ib.cm.stream.StreamOptions;
import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code rcopy}: copies a file over a stream, here or with librdmacm's program at the other end.
 * Unlike the original, a server writes into one folder only, by the last name of the path that its
 * client asks for.
 */
public final class Rcopy {
  private static final Program PROGRAM = new Program("rcopy");
  private static final int PORT = 7427;
  private static final int REGULAR = 0100644; // the original passes on the mode of its file
  private static final double GIGA = 1e9;

  private final PrintStream out;
  private final PrintStream err;
  private final RdmaCm cm;
  private final Parsed line;

  private Rcopy(PrintStream out, PrintStream err, RdmaCm cm, Parsed line) {
    this.out = out;
    this.err = err;
    this.cm = cm;
    this.line = line;
  }

  /**
   * Runs the command; a server runs until it is stopped.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the steps are printed here
   * @param err a server says here that it listens
   * @param args nothing for a server, file and server for a client, and options
   * @throws CommandException when an option is wrong, the file cannot be read, the connection
   *     cannot be made or fails, the server refuses or the thread is interrupted
   */
  public static void run(
      IbCore core, CmClient manager, PrintStream out, PrintStream err, String... args) {
    Getopt getopt = new Getopt("rcopy", Usage.of("rcopy"), "p,port=", "b,bind=", "d,folder=");
    Parsed line = getopt.parse(args).atMost(2);
    int operands = line.operands().size();
    if (operands == 1) {
      throw getopt.refusal("a client needs a file and a server");
    }
    PROGRAM.run(
        core,
        manager,
        cm -> {
          Rcopy run = new Rcopy(out, err, cm, line);
          if (operands == 0) {
            run.serve();
          } else {
            run.copy(line.operands().getFirst(), line.operands().getLast());
          }
        });
  }

  private InetSocketAddress at(String host) {
    return PROGRAM.at(host, line, PORT);
  }

  // ---- the client ----

  /** Copies a file to {@code server[:destination]}; an IPv6 address stands in brackets. */
  private void copy(String source, String to) throws IOException {
    int end = to.startsWith("[") ? to.indexOf(']') + 1 : 0;
    int colon = to.indexOf(':', end);
    String host = colon < 0 ? to : to.substring(0, colon);
    String destination = colon < 0 ? source : to.substring(colon + 1);
    try (FileChannel file = FileChannel.open(Path.of(source));
        RdmaStream stream = RdmaStream.connect(cm, at(host), StreamOptions.defaults())) {
      CopyTalk talk = new CopyTalk(stream);
      out.print("opening...");
      byte[] name = destination.getBytes(StandardCharsets.UTF_8);
      talk.ask(CopyTalk.OPEN, REGULAR, CopyTalk.padded(name));
      accepted("open " + destination, talk.answer(CopyTalk.OPEN));
      out.print("transferring...");
      long bytes = file.size();
      long begun = System.nanoTime();
      talk.ask(CopyTalk.WRITE, 0, CopyTalk.number(bytes));
      talk.send(file, bytes);
      accepted("write " + destination, talk.answer(CopyTalk.WRITE));
      double seconds = (System.nanoTime() - begun) / GIGA;
      out.print("closing...");
      talk.ask(CopyTalk.CLOSE, 0, new byte[0]);
      accepted("close " + destination, talk.answer(CopyTalk.CLOSE));
      out.println("done");
      double rate = bytes * 8 / seconds / GIGA;
      out.printf(Locale.ROOT, "%d bytes in %.2f seconds = %.2f Gb/sec%n", bytes, seconds, rate);
    }
  }

  private static void accepted(String what, int status) {
    if (status != 0) {
      throw new CommandException("rcopy: the server cannot " + what + ": error " + status);
    }
  }

  // ---- the server ----

  private void serve() throws IOException {
    String host = line.last("bind");
    String given = line.last("folder");
    Path folder = Path.of(given == null ? "." : given);
    if (!Files.isDirectory(folder)) {
      throw new CommandException("rcopy: there is no folder " + folder);
    }
    try (RdmaStreamListener listener =
        RdmaStreamListener.listen(
            cm, at(host == null ? "0.0.0.0" : host), 1, StreamOptions.defaults())) {
      PROGRAM.sayListening(err, listener.localAddress());
      while (true) {
        out.print("waiting for connection...");
        try (RdmaStream stream = listener.accept()) {
          out.println("client: " + stream.remoteAddress().getAddress().getHostAddress());
          serve(new CopyTalk(stream), folder);
        }
      }
    }
  }

  /** Serves a client to its end; a client that fails, or asks for nonsense, ends itself only. */
  private void serve(CopyTalk talk, Path folder) throws IOException {
    try {
      CopyTalk.Question next = talk.question();
      while (next != null && next.command() == CopyTalk.OPEN) {
        if (!receive(talk, next, folder)) {
          return;
        }
        next = talk.question();
      }
      if (next != null) {
        talk.answer(next, CopyTalk.EINVAL);
      }
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      err.println("rcopy: " + e.getMessage());
    }
  }

  /** Receives a file; {@return whether the client goes on} */
  private boolean receive(CopyTalk talk, CopyTalk.Question open, Path folder) throws IOException {
    String asked = open.text();
    out.print("opening: " + asked + ", ");
    try (FileChannel file = create(folder, asked)) {
      if (file == null) {
        out.println("unable to open destination file");
        talk.answer(open, CopyTalk.EACCES);
        return false;
      }
      talk.answer(open, 0);
      CopyTalk.Question write = talk.question();
      if (write == null) {
        return false;
      }
      long bytes = write.command() == CopyTalk.WRITE ? write.number() : -1;
      if (bytes < 0) {
        talk.answer(write, CopyTalk.EINVAL);
        return false;
      }
      out.print("transferring..." + bytes + " bytes...");
      talk.receive(file, bytes);
      talk.answer(write, 0);
    }
    CopyTalk.Question close = talk.question();
    if (close == null || close.command() != CopyTalk.CLOSE) {
      return false;
    }
    talk.answer(close, 0);
    out.println("closing...done");
    return true;
  }

  /** {@return a new file of the folder; null where none can be made by that name} */
  private @Nullable FileChannel create(Path folder, String asked) {
    try {
      Path last = Path.of(asked).getFileName();
      if (last == null || last.toString().isEmpty() || last.toString().equals("..")) {
        return null;
      }
      return FileChannel.open(
          folder.resolve(last),
          StandardOpenOption.WRITE,
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING);
    } catch (InvalidPathException | IOException e) {
      err.println("rcopy: " + e.getMessage());
      return null;
    }
  }
}
