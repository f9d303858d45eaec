package ib.launcher.service;

import ib.launcher.service.Shells.Attached;
import ib.launcher.service.Shells.Screen;
import ib.launcher.service.Shells.Streams;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller of the service, from its connection to its end. A caller that goes ends what it has
 * begun.
 *
 * <p>Two threads: the reader receives frames and never waits for anything else; the runner, which
 * the reader starts, runs what was asked for and closes the connection.
 */
final class Caller {
  private static final Logger LOG = LoggerFactory.getLogger(Caller.class);

  private final Frames frames;
  private final Hello hello;
  private final Shells shells;
  private final Places places;
  private final Runnable stop;
  private final Consumer<Caller> gone;
  private final Input input = new Input(this::wantInput);
  private volatile boolean typed; // keys come unasked

  // under the monitor
  private @Nullable AutoCloseable running;
  private boolean ended;

  Caller(
      Frames frames,
      Hello hello,
      Shells shells,
      Places places,
      Runnable stop,
      Consumer<Caller> gone) {
    this.frames = frames;
    this.hello = hello;
    this.shells = shells;
    this.places = places;
    this.stop = stop;
    this.gone = gone;
  }

  void start() {
    Thread.ofPlatform().daemon().name("ib-service-caller").start(this::read);
  }

  private void read() {
    try {
      frames.send(hello.frame());
      boolean asked = false;
      for (Frame f = frames.receive(); f != null; f = frames.receive()) {
        switch (f.kind()) {
          case EXEC, ATTACH, STOP, LOOK -> {
            if (asked) {
              throw new IOException("a second request: " + f.kind());
            }
            asked = true;
            ask(f);
          }
          case INPUT -> take(f.body());
          case INPUT_END -> input.end();
          case SIZE -> resize(Screen.of(f.text()));
          case HELLO, OUT, ERR, STATUS, INPUT_WANTED ->
              throw new IOException(f.kind() + " is the server's to send");
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("a caller: {}", e.toString());
    } finally {
      end();
    }
  }

  private void wantInput() throws IOException {
    if (!typed) {
      frames.send(Frame.of(Frame.Kind.INPUT_WANTED, ""));
    }
  }

  private void take(byte[] bytes) throws IOException {
    if (!input.add(bytes)) {
      String why = "more than %d bytes wait for a shell that does not read";
      frames.send(Frame.of(Frame.Kind.ERR, "ib: " + why.formatted(Input.MAX_WAITING) + "\n"));
      frames.drain();
      throw new IOException(why.formatted(Input.MAX_WAITING));
    }
  }

  private synchronized void resize(Screen screen) {
    if (running instanceof Attached shell) {
      shell.resize(screen);
    }
  }

  private void ask(Frame request) {
    Screen screen = request.kind() == Frame.Kind.ATTACH ? Screen.of(request.text()) : null;
    typed = screen != null;
    Thread.ofPlatform().daemon().name("ib-service-commands").start(() -> run(request, screen));
  }

  private void run(Frame request, @Nullable Screen screen) {
    OutputStream out = frames.output(Frame.Kind.OUT);
    try (frames;
        PrintStream printed = new PrintStream(out, true);
        PrintStream err = new PrintStream(frames.output(Frame.Kind.ERR), true)) {
      int status = 0;
      begun(Thread.currentThread()::interrupt); // a caller that goes waits for no place
      try (Closeable _ = places.take(request.kind())) {
        if (screen != null) {
          status = shells.attach(screen, input, out, this::begun);
        } else if (request.kind() == Frame.Kind.STOP) {
          stop.run();
        } else {
          status = shells.execute(request.text(), new Streams(input, printed, err), this::begun);
        }
      }
      frames.send(Frame.status(status));
      frames.drain();
    } catch (IOException | InterruptedException e) {
      LOG.debug("a caller has gone: {}", e.toString());
    } catch (Exception e) {
      LOG.warn("a caller's shell has ended", e);
    } finally {
      end();
    }
  }

  private void begun(AutoCloseable what) {
    boolean late;
    synchronized (this) {
      running = what;
      late = ended;
    }
    if (late) {
      close(what);
    }
  }

  /** Ends what the caller has begun, and the connection. */
  void end() {
    AutoCloseable begun;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      begun = running;
    }
    input.end();
    if (begun != null) {
      close(begun);
    }
    close(frames);
    gone.accept(this);
  }

  private static void close(AutoCloseable what) {
    try {
      what.close();
    } catch (Exception e) {
      LOG.debug("closing what a caller has begun", e);
    }
  }
}
