package ib.itests.interop;

import ib.itests.Program;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * {@code ./ib peer door}: a way to the peer's agent that does not cost a process for each question.
 * What is asked and answered stands in peer/guest/agent.py.
 */
final class Door implements AutoCloseable {
  private static final long START_S = 30;
  private static final long LISTENER_S = 30;
  private static final String LINK = "ibpeer0";
  private static final int SENT = 10; // of its line in /proc/net/dev, behind the name
  private static final int SEND_DROPS = 12;

  private final Process process;
  private final UnixDomainSocketAddress address;
  private final long lostBefore;

  /** Opens it as a socket that is not there yet. */
  Door(ProcessBuilder builder, Path socket) {
    address = UnixDomainSocketAddress.of(socket);
    try {
      process = builder.redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    BufferedReader said = process.inputReader();
    String first =
        await(START_S, CompletableFuture.supplyAsync(() -> line(said), LinuxPeer.BESIDE));
    if (!first.equals("open")) {
      process.destroy();
      throw new AssertionError("no door to the peer: " + first);
    }
    lostBefore = allLost();
  }

  private static String line(BufferedReader reader) {
    try {
      return String.valueOf(reader.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> T await(long seconds, CompletableFuture<T> answer) {
    try {
      return answer.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("the peer says nothing for " + seconds + " s", e);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Runs a line of shell there. What takes too long is ended. */
  Program exec(long seconds, String line) {
    String quoted = line.replace("\\", "\\\\").replace("\"", "\\\"");
    return ask(seconds, "{\"run\": \"" + quoted + "\"}\n");
  }

  /** Waits until somebody listens there. */
  Program awaitListener(long seconds, int port) {
    return ask(seconds, "{\"await\": " + port + "}\n");
  }

  private Program ask(long seconds, String question) {
    try (SocketChannel channel = SocketChannel.open(address)) {
      channel.write(ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
      return await(seconds, CompletableFuture.supplyAsync(() -> answer(channel), LinuxPeer.BESIDE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Program answer(SocketChannel channel) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
      while (true) {
        int kind = in.readByte();
        byte[] data = in.readNBytes(in.readInt());
        if (kind == 's') {
          int status = Integer.parseInt(new String(data, StandardCharsets.US_ASCII));
          return new Program(status, out.toString(StandardCharsets.UTF_8), "");
        }
        out.write(data);
      }
    } catch (EOFException e) {
      return new Program(1, out.toString(StandardCharsets.UTF_8), "the peer hung up");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until somebody listens here, in the namespace; without connecting. */
  void awaitListenerHere(int port) {
    Pattern entry = Pattern.compile(String.format(":%04X 0{8,}:0000 0A ", port));
    long start = System.nanoTime();
    while (!listening("tcp", entry) && !listening("tcp6", entry)) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LISTENER_S)) {
        throw new AssertionError("nobody listens on port " + port);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private boolean listening(String table, Pattern entry) {
    return table(table).stream().anyMatch(line -> entry.matcher(line).find());
  }

  /** {@return how many packets that were to go to the peer the link has lost since the opening} */
  long lost() {
    return allLost() - lostBefore;
  }

  /** {@return how many packets have gone to the peer} */
  long sent() {
    return link(SENT);
  }

  /** {@return the multicast groups that the link is in, in hexadecimal, as the host has them} */
  List<String> groups() {
    return table("igmp");
  }

  private long allLost() {
    return link(SEND_DROPS);
  }

  private long link(int word) {
    return table("dev").stream()
        .map(line -> line.strip().split("[:\\s]+"))
        .filter(words -> words[0].equals(LINK))
        .mapToLong(words -> Long.parseLong(words[word]))
        .sum();
  }

  /** The namespace's tables are those of any process in it. */
  private List<String> table(String name) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "net", name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
