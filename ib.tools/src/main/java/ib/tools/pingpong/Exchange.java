package ib.tools.pingpong;

import ib.core.verbs.Gid;
import ib.tools.getopt.CommandException;
import ib.tools.run.Listener;
import ib.tools.run.Tcp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Exchanges addresses over TCP: the client sends its records, the server connects its queue pairs
 * and answers with its own records, the client sends {@code done} (rdma-core, rc_pingpong.c,
 * srq_pingpong.c). Records without a queue pair are zero.
 */
final class Exchange {
  private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
  private static final Address NOBODY = new Address(0, 0, 0, Gid.ZERO);
  private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(10);

  private Exchange() {}

  /**
   * Exchanges addresses with a server.
   *
   * @param kind the program
   * @param host the server
   * @param port TCP port
   * @param locals addresses of this end
   * @param stop called while waiting; throws to abort the wait
   */
  static List<Address> client(
      Kind kind, String host, int port, List<Address> locals, Runnable stop) {
    try (Socket socket = Tcp.connect(host, port)) {
      socket.getOutputStream().write(records(kind, locals));
      List<Address> remotes = parse(Tcp.read(socket, bytes(kind), ANSWER_NS, stop));
      socket.getOutputStream().write(DONE);
      return remotes;
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandException("Couldn't read/write remote address", e);
    }
  }

  /**
   * Waits for a client and exchanges addresses with it.
   *
   * @param kind the program
   * @param listener the listener of the server
   * @param locals addresses of this end
   * @param connect connects the queue pairs, before the client may send
   * @param stop called while waiting; throws to abort the wait
   */
  static List<Address> server(
      Kind kind,
      Listener listener,
      List<Address> locals,
      Consumer<List<Address>> connect,
      Runnable stop) {
    Listener.Met client = listener.await(bytes(kind), Exchange::areRecords, stop);
    try (Socket socket = client.socket()) {
      List<Address> remotes = parse(client.greeting());
      connect.accept(remotes);
      socket.getOutputStream().write(records(kind, locals));
      Tcp.read(socket, DONE.length, ANSWER_NS, stop);
      return remotes;
    } catch (IOException e) {
      throw new CommandException("Couldn't send/recv local address", e);
    }
  }

  private static int bytes(Kind kind) {
    return kind.records() * Address.WIRE_BYTES;
  }

  private static byte[] records(Kind kind, List<Address> locals) {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    for (int i = 0; i < kind.records(); i++) {
      records.writeBytes((i < locals.size() ? locals.get(i) : NOBODY).toWire());
    }
    return records.toByteArray();
  }

  private static boolean areRecords(byte[] records) {
    try {
      return parse(records).size() * Address.WIRE_BYTES == records.length;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static List<Address> parse(byte[] records) {
    List<Address> remotes = new ArrayList<>();
    for (int i = 0; i < records.length; i += Address.WIRE_BYTES) {
      remotes.add(Address.ofWire(Arrays.copyOfRange(records, i, i + Address.WIRE_BYTES)));
    }
    return remotes;
  }
}
