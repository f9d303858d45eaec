package ib.itests.interop.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The line by line conversation of the two ends. */
final class Talk {
  private final Socket socket;
  private final BufferedReader in;

  Talk(Socket socket) throws IOException {
    this.socket = socket;
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  void tell(String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  String hear() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new IOException("the other end hung up");
    }
    return line.strip();
  }
}
