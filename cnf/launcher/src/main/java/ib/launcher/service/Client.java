package ib.launcher.service;

import ib.launcher.service.Shells.Screen;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.InputFlag;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Attributes.OutputFlag;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/** One request to a running service, on the streams of this program. */
public final class Client implements AutoCloseable {
  private static final int TRIES = 3; // each fails when another service begins meanwhile
  private static final int BUFFER = 1 << 12;
  private static final int COLUMNS = 80; // of a program that is not on a terminal
  private static final int ROWS = 24;

  private static final DateTimeFormatter SINCE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private final Frames frames;
  private final Hello hello;

  private Client(Frames frames, Hello hello) {
    this.frames = frames;
    this.hello = hello;
  }

  /**
   * Connects to the service of a folder.
   *
   * @param folder its folder
   * @return the connection, or null when no service runs there
   * @throws IOException when it runs, but this user may not call it, or it does not answer
   */
  public static @Nullable Client connect(RunFolder folder) throws IOException {
    if (Files.exists(folder.path()) && !Files.isExecutable(folder.path())) {
      throw new IOException(
          "%s belongs to %s: only that user can ask its service"
              .formatted(folder.path(), Files.getOwner(folder.path()).getName()));
    }
    SocketChannel channel = channel(folder.socket());
    if (channel == null) {
      return null;
    }
    Frames frames = new Frames(channel);
    Frame first = frames.receive();
    if (first == null) {
      frames.close();
      throw new IOException(
          "the service of %s refuses you; its log says why".formatted(folder.path()));
    }
    return new Client(frames, Hello.of(first));
  }

  private static @Nullable SocketChannel channel(Path socket) throws IOException {
    int tries = TRIES;
    while (Files.exists(socket)) {
      try {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket));
      } catch (ConnectException e) {
        return null; // the socket of a service that was killed
      } catch (SocketException e) { // a service that starts has just removed that one
        if (--tries == 0) {
          throw e;
        }
      }
    }
    return null;
  }

  /** {@return the service's process} */
  public long process() {
    return hello.process();
  }

  /** {@return the service in one line: version, since when, process} */
  public String text() {
    return "ib %s runs since %s, process %d"
        .formatted(
            hello.version(),
            SINCE.format(hello.since().atZone(ZoneId.systemDefault())),
            hello.process());
  }

  /** {@return configured devices that were not there when it had started: sentences, or empty} */
  public String missing() {
    return hello.missing();
  }

  /** Asks the runtime to end; it goes on for a moment. */
  public void stop() throws IOException {
    frames.send(Frame.of(Frame.Kind.STOP, ""));
    while (frames.receive() != null) {
      continue; // until it has closed the connection
    }
  }

  /**
   * Runs shell commands.
   *
   * @param commands the commands
   * @param in their standard input, of which nothing is read before a command reads it
   * @param out takes their standard output
   * @param err takes their standard error
   * @return the exit status
   * @throws IOException when the service ends before the commands
   */
  public int execute(String commands, InputStream in, OutputStream out, OutputStream err)
      throws IOException {
    return run(Frame.Kind.EXEC, commands, in, out, err);
  }

  /** As {@link #execute} without input, for what ends at once: it waits for no other caller. */
  public int look(String commands, OutputStream out, OutputStream err) throws IOException {
    return run(Frame.Kind.LOOK, commands, InputStream.nullInputStream(), out, err);
  }

  private int run(
      Frame.Kind kind, String commands, InputStream in, OutputStream out, OutputStream err)
      throws IOException {
    Semaphore wanted = new Semaphore(0);
    forward(in, wanted);
    frames.send(Frame.of(kind, commands));
    return copy(out, err, wanted);
  }

  /**
   * Runs a shell on this program's terminal; without one, on its streams.
   *
   * @param in the input where there is no terminal
   * @param out takes the output where there is no terminal
   * @return the exit status
   * @throws IOException when the service ends before the shell
   */
  public int attach(InputStream in, OutputStream out) throws IOException {
    if (System.console() == null || !System.console().isTerminal()) {
      frames.send(Frame.of(Frame.Kind.ATTACH, new Screen("dumb", COLUMNS, ROWS).text()));
      Semaphore always = new Semaphore(Integer.MAX_VALUE);
      forward(in, always);
      return copy(out, out, always);
    }
    try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
      Attributes before = makeRaw(terminal);
      try {
        frames.send(Frame.of(Frame.Kind.ATTACH, screen(terminal).text()));
        terminal.handle(Terminal.Signal.WINCH, signal -> resized(terminal));
        Semaphore always = new Semaphore(Integer.MAX_VALUE);
        forward(terminal.input(), always);
        return copy(terminal.output(), terminal.output(), always);
      } finally {
        terminal.setAttributes(before);
      }
    }
  }

  /** The service's line discipline echoes keys and understands Ctrl-C; this side does neither. */
  private static Attributes makeRaw(Terminal terminal) {
    Attributes before = terminal.getAttributes();
    Attributes raw = new Attributes(before);
    raw.setLocalFlags(
        EnumSet.of(LocalFlag.ICANON, LocalFlag.ECHO, LocalFlag.IEXTEN, LocalFlag.ISIG), false);
    raw.setInputFlags(EnumSet.of(InputFlag.IXON, InputFlag.ICRNL, InputFlag.INLCR), false);
    raw.setOutputFlag(OutputFlag.OPOST, false);
    raw.setControlChar(ControlChar.VMIN, 1);
    raw.setControlChar(ControlChar.VTIME, 0);
    terminal.setAttributes(raw);
    return before;
  }

  private static Screen screen(Terminal terminal) {
    return new Screen(terminal.getType(), terminal.getWidth(), terminal.getHeight());
  }

  private void resized(Terminal terminal) {
    try {
      frames.send(Frame.of(Frame.Kind.SIZE, screen(terminal).text()));
    } catch (IOException e) {
      return; // the service has gone, which the receiver says
    }
  }

  /** Sends input, a part for each permit. */
  private void forward(InputStream in, Semaphore wanted) {
    Thread.ofPlatform()
        .daemon()
        .name("ib-input")
        .start(
            () -> {
              byte[] bytes = new byte[BUFFER];
              try {
                int n;
                do {
                  wanted.acquire();
                  n = in.read(bytes);
                  frames.send(
                      n < 0
                          ? Frame.of(Frame.Kind.INPUT_END, "")
                          : new Frame(Frame.Kind.INPUT, Arrays.copyOf(bytes, n)));
                } while (n >= 0);
              } catch (IOException | InterruptedException e) {
                return; // the service has gone, which the receiver says
              }
            });
  }

  private int copy(OutputStream out, OutputStream err, Semaphore wanted) throws IOException {
    for (Frame f = frames.receive(); f != null; f = frames.receive()) {
      switch (f.kind()) {
        case OUT -> write(out, f);
        case ERR -> write(err, f);
        case INPUT_WANTED -> wanted.release();
        case STATUS -> {
          return f.status();
        }
        default -> throw new IOException("the service sends " + f.kind());
      }
    }
    throw new IOException("the service has ended the connection");
  }

  private static void write(OutputStream to, Frame frame) throws IOException {
    to.write(frame.body());
    to.flush();
  }

  @Override
  public void close() throws IOException {
    frames.close();
  }
}
