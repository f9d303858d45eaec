package ib.tools.pingpong;

import ib.core.verbs.Gid;
import ib.tools.getopt.CommandException;
import ib.tools.run.Tcp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * How two programs tell each other their addresses over TCP: the client sends its records, the
 * server gets its queue pairs ready and answers with its own, the client says {@code done}
 * (rdma-core, rc_pingpong.c, srq_pingpong.c). Records without a queue pair are zero.
 */
final class Exchange {
  private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
  private static final Address NOBODY = new Address(0, 0, 0, Gid.ZERO);
  private static final int ANSWER_MS = 10_000;

  private Exchange() {}

  /** Tells the server and hears from it. */
  static List<Address> client(Kind kind, String host, int port, List<Address> locals) {
    try (Socket socket = Tcp.connect(host, port)) {
      socket.setSoTimeout(ANSWER_MS);
      socket.getOutputStream().write(records(kind, locals));
      List<Address> remotes = read(kind, socket.getInputStream());
      socket.getOutputStream().write(DONE);
      return remotes;
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandException("Couldn't read/write remote address", e);
    }
  }

  /**
   * Waits for a client.
   *
   * @param kind which program
   * @param port TCP port
   * @param locals what to tell
   * @param connect gets the queue pairs ready, before the client may send
   * @param stop asked while waiting; throws to give up
   */
  static List<Address> server(
      Kind kind, int port, List<Address> locals, Consumer<List<Address>> connect, Runnable stop) {
    try (Socket socket = Tcp.accept(port, stop)) {
      socket.setSoTimeout(ANSWER_MS);
      List<Address> remotes;
      try {
        remotes = read(kind, socket.getInputStream());
      } catch (IOException | IllegalArgumentException e) {
        throw new CommandException("Couldn't read remote address", e);
      }
      connect.accept(remotes);
      socket.getOutputStream().write(records(kind, locals));
      if (socket.getInputStream().readNBytes(DONE.length).length != DONE.length) {
        throw new IOException("the client went away");
      }
      return remotes;
    } catch (IOException e) {
      throw new CommandException("Couldn't send/recv local address", e);
    }
  }

  private static byte[] records(Kind kind, List<Address> locals) {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    for (int i = 0; i < kind.records(); i++) {
      records.writeBytes((i < locals.size() ? locals.get(i) : NOBODY).toWire());
    }
    return records.toByteArray();
  }

  private static List<Address> read(Kind kind, InputStream in) throws IOException {
    List<Address> remotes = new ArrayList<>();
    for (int i = 0; i < kind.records(); i++) {
      byte[] record = in.readNBytes(Address.WIRE_BYTES);
      if (record.length != Address.WIRE_BYTES) {
        throw new IOException(
            record.length + "/" + Address.WIRE_BYTES + " bytes of the record came");
      }
      remotes.add(Address.ofWire(record));
    }
    return remotes;
  }
}
