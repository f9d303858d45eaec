package ib.driver.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorSpace;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Libc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command is one write: here into a file, where its bytes are read. */
final class UcmCommandsTest {
  private static final int ID = 0x01020304;
  private static final int NONE = -1; // no place for an answer
  private static final long UID = 0x1112131415161718L;
  private static final InetSocketAddress FROM = new InetSocketAddress("10.0.0.1", 7000);
  private static final InetSocketAddress TO = new InetSocketAddress("fe80::2", 8000);
  private static final ConnectorEndpoint MINE = new ConnectorEndpoint(0xabcdef, 3, 2, 6, true);
  private static final byte[] DATA = {1, 2, 3};

  @TempDir private Path folder;

  /**
   * {@return of each command its number, its size, the answer's size, and the bytes that are not 0
   * with their places; where the answer goes, 8 bytes, is left out}
   */
  private List<String> written(int answerAt, Consumer<UcmCommands> what) throws IOException {
    Path path = Files.createFile(folder.resolve("commands"));
    Libc libc = new Libc();
    try (Frame frame = new Frame()) {
      UcmFile file = new UcmFile(libc, libc.open(frame, path.toString()));
      what.accept(new UcmCommands(libc, file, "verbs0"));
      file.close();
    }
    ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.nativeOrder());
    Files.delete(path);
    List<String> found = new ArrayList<>();
    while (all.hasRemaining()) {
      int command = all.getInt();
      byte[] body = new byte[all.getShort()];
      int answer = all.getShort();
      all.get(body);
      if (answerAt >= 0) {
        Arrays.fill(body, answerAt, answerAt + Long.BYTES, (byte) 0);
      }
      found.add(command + " " + body.length + " " + answer + bytes(body));
    }
    return found;
  }

  private static String bytes(byte[] body) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < body.length; i++) {
      if (body[i] != 0) {
        text.append(i == 0 || body[i - 1] == 0 ? " " + i + ":" : "");
        text.append(String.format("%02x", body[i]));
      }
    }
    return text.toString();
  }

  private void writes(int answerAt, Consumer<UcmCommands> what, String... expected)
      throws IOException {
    assertEquals(List.of(expected), written(answerAt, what));
  }

  @Test
  @DisplayName("issue 17, V8: commands without an answer, byte by byte")
  void commands() throws IOException {
    writes(NONE, c -> c.bind(ID, FROM, 0), "20 136 0 0:0403020110 8:02 10:1b580a 15:01");
    writes(NONE, c -> c.listen(ID, 77), "7 8 0 0:040302014d");
    writes(
        NONE,
        c -> c.resolveAddress(ID, FROM, TO, 5),
        "21 272 0 0:04030201d007 8:10 10:1c 16:02 18:1b580a 23:01 144:0a 146:1f40 152:fe80"
            + " 167:0205");
    writes(NONE, c -> c.resolveRoute(ID), "4 8 0 0:04030201d007");
    writes(
        NONE,
        c -> c.connect(ID, MINE, 7, DATA),
        "6 288 0 0:efcdab 8:010203 264:030103020107060104030201");
    writes(
        NONE,
        c -> c.accept(ID, UID, MINE, DATA),
        "8 296 0 0:1817161514131211efcdab 16:010203 272:0301030201 278:060104030201");
    writes(NONE, c -> c.ask(ID, DATA), "6 288 0 8:010203 264:03 271:0104030201");
    writes(
        NONE,
        c -> c.answer(ID, 0xabcdef, DATA),
        "8 296 0 8:efcdab 16:010203 272:03 279:0104030201");
    writes(NONE, c -> c.confirm(ID, UID), "8 296 0 0:1817161514131211 280:04030201");
    writes(NONE, c -> c.reject(ID, DATA), "9 264 0 0:04030201031c 8:010203");
    writes(NONE, c -> c.disconnect(ID), "10 4 0 0:04030201");
    writes(NONE, c -> c.dataArrived(ID), "15 8 0 0:0403020104");
  }

  @Test
  @DisplayName("issue 17, V8: commands that have an answer, and options, byte by byte")
  void answers() throws IOException {
    writes(8, c -> c.create(ConnectorSpace.TCP, UID), "0 24 4 0:1817161514131211 16:060102");
    writes(8, c -> c.create(ConnectorSpace.IB, UID), "0 24 4 0:1817161514131211 16:3f0102");
    writes(8, c -> c.create(ConnectorSpace.UDP, UID), "0 24 4 0:1817161514131211 16:110104");
    writes(0, c -> c.destroy(ID), "1 16 4 8:04030201");
    writes(0, c -> c.place(ID), "19 16 280 8:04030201");
    writes(0, c -> c.trafficClass(ID, 8), "14 24 0 8:04030201 20:01"); // 0: where the value is
    writes(0, c -> c.ackTimeout(ID, 14), "14 24 0 8:04030201 16:03 20:01");
    writes( // the answer is all 0, which is no MTU
        0,
        c -> assertThrows(RuntimeException.class, () -> c.steps(ID)),
        "11 16 144 8:0403020102",
        "11 16 144 8:0403020103");
  }
}
