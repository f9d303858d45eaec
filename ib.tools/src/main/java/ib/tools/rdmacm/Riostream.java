package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.stream.DirectRegion;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.RdmaStreamListener;
import ib.cm.stream.StreamOptions;
import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.SocketException;
import java.nio.ByteBuffer;

/**
 * {@code riostream}: the two sides of a stream write directly into each other's memory, and watch
 * its last byte; here or with librdmacm's program at the other end.
 */
public final class Riostream {
  private static final Program PROGRAM = new Program("riostream");
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
  private static final int BUFFERS = 1 << 19; // the original's
  private static final int LOOK_LOOPS = 1 << 12;
  private static final int MARKERS = 0x100;

  private final RstreamOptions options;
  private final PrintStream out;
  private byte sent; // the next byte of either direction, when data are verified
  private byte heard;

  private Riostream(RstreamOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the table is printed here
   * @param err a server says here that it listens
   * @param args the original's options without {@code -f} and {@code -i}; its tests {@code b} and
   *     {@code v}
   * @throws CommandException when an option is wrong, the connection cannot be made or fails, the
   *     data are wrong or the thread is interrupted
   */
  public static void run(
      IbCore core, CmClient manager, PrintStream out, PrintStream err, String... args) {
    RstreamOptions options = RstreamOptions.parse(PROGRAM, "bv", args);
    int bytes = options.buffers() == 0 ? BUFFERS : options.buffers();
    StreamOptions how = StreamOptions.defaults().buffers(bytes, bytes).regions(1);
    Riostream run = new Riostream(options, out);
    PROGRAM.run(
        core,
        manager,
        cm -> {
          if (!options.server()) {
            StreamTest.all(
                options, out, () -> RdmaStream.connect(cm, options.address(), how), run::run);
            return;
          }
          try (RdmaStreamListener listener =
              RdmaStreamListener.listen(cm, options.address(), 0, how)) {
            PROGRAM.sayListening(err, listener.localAddress());
            StreamTest.all(options, out, listener::accept, run::run);
          }
        });
  }

  private void run(RdmaStream stream, StreamTest test) throws IOException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(Math.max(StreamTest.HELLO, test.size()));
      mark(memory, test, -1);
      DirectRegion region = stream.map(memory.asSlice(0, test.size()), 0);
      try {
        hello(stream, test);
        long begun = System.nanoTime();
        exchange(stream, memory, test);
        out.print(test.line(System.nanoTime() - begun)); // in one piece, beside the other end's
      } finally {
        region.close(); // while the arena has the memory
      }
    }
  }

  private void hello(RdmaStream stream, StreamTest test) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(StreamTest.HELLO);
    if (!options.server()) {
      stream.write(test.hello(bytes));
    }
    ByteBuffer heard = ByteBuffer.allocate(StreamTest.HELLO);
    while (heard.hasRemaining()) {
      if (stream.read(heard) < 0) {
        throw new EOFException("the other side has closed the connection");
      }
    }
    if (options.server()) {
      stream.write(test.hello(bytes));
    }
    test.check(PROGRAM, heard.flip());
  }

  /** The sides take turns; the last byte of a side's last message counts the turns. */
  private void exchange(RdmaStream stream, MemorySegment memory, StreamTest test)
      throws IOException {
    for (int i = 0; i < test.iterations(); i++) {
      int turn = 2 * i;
      if (options.server()) {
        await(stream, memory, test, turn);
        turn++;
      }
      send(stream, memory, test, turn);
      if (!options.server()) {
        await(stream, memory, test, turn + 1);
      }
    }
  }

  private void send(RdmaStream stream, MemorySegment memory, StreamTest test, int turn)
      throws IOException {
    ByteBuffer bytes = memory.asSlice(0, test.size()).asByteBuffer();
    for (int i = 1; i < test.transfers(); i++) {
      stream.writeDirect(bytes.duplicate(), 0);
    }
    mark(memory, test, turn);
    if (options.verify()) {
      for (int i = 0; i < test.size() - 1; i++) {
        bytes.put(i, sent++);
      }
    }
    stream.writeDirect(bytes.duplicate(), 0);
  }

  private static void mark(MemorySegment memory, StreamTest test, int turn) {
    BYTE.setVolatile(memory, test.size() - 1L, (byte) turn);
  }

  /** Waits until the peer has written its mark, and compares its data. */
  private void await(RdmaStream stream, MemorySegment memory, StreamTest test, int turn)
      throws IOException {
    long last = test.size() - 1L;
    byte wanted = (byte) (turn % MARKERS);
    boolean gone = false;
    for (int loops = 1; (byte) BYTE.getVolatile(memory, last) != wanted; loops++) {
      if (gone) {
        throw new SocketException("Connection reset: no mark " + turn);
      }
      Thread.onSpinWait();
      if (loops % LOOK_LOOPS == 0) {
        PROGRAM.goOn();
        gone = !stream.isConnected(); // then the mark is there, or will not come
        Thread.yield();
      }
    }
    if (options.verify()) {
      for (int i = 0; i < last; i++) {
        StreamTest.verify(PROGRAM, memory.get(ValueLayout.JAVA_BYTE, i), heard++);
      }
    }
  }
}
