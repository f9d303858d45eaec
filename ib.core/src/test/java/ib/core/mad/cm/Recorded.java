package ib.core.mad.cm;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import ib.core.mad.Mad;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A message of the connection manager as it was seen on a wire between Linux and Linux, or between
 * Linux and a sender of crafted messages, with its fields as another decoder has read them.
 *
 * @param recording name of the recording
 * @param frame number of the frame in it, from 1
 * @param attribute attribute ID
 * @param us when, in microseconds since the recording's first frame
 * @param source address of the sender
 * @param destination address of the receiver
 * @param toQp1 whether it has QP1's Q_Key
 * @param fields fields by name, in hexadecimal; empty where no other decoder has read them
 * @param bytes the datagram
 */
public record Recorded(
    String recording,
    int frame,
    int attribute,
    long us,
    String source,
    String destination,
    boolean toQp1,
    Map<String, String> fields,
    byte[] bytes) {
  private static final int MAD_BYTES = 256;

  /** {@return all messages of all recordings, in the order of time} */
  public static List<Recorded> all() {
    List<Recorded> all = new ArrayList<>();
    Map<String, byte[]> known = new HashMap<>();
    List<String> lines = lines();
    for (int i = 0; i < lines.size(); i += 3) {
      String[] head = lines.get(i).split(" ");
      String[] name = head[0].split("#");
      String body = lines.get(i + 2);
      byte[] bytes = body.startsWith("= ") ? known.get(body.substring(2)) : bytes(body);
      assertNotNull(bytes, body);
      known.put(head[0], bytes);
      all.add(
          new Recorded(
              name[0],
              Integer.parseInt(name[1]),
              Integer.parseInt(head[1], 16),
              Long.parseLong(head[2]),
              head[3],
              head[4],
              head.length == 5,
              fields(lines.get(i + 1)),
              bytes));
    }
    return all;
  }

  /** {@return the messages of a recording} */
  public static List<Recorded> of(String recording) {
    return all().stream().filter(r -> r.recording.equals(recording)).toList();
  }

  private static List<String> lines() {
    try (InputStream in = Recorded.class.getResourceAsStream("recorded.txt")) {
      assertNotNull(in, "recorded.txt");
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines().filter(l -> !l.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> fields(String line) {
    Map<String, String> fields = new TreeMap<>();
    for (String each : line.split(" ")) {
      if (!each.isEmpty()) {
        String[] pair = each.split("=");
        fields.put(pair[0], pair[1]);
      }
    }
    return fields;
  }

  private static byte[] bytes(String hex) {
    byte[] bytes = new byte[MAD_BYTES];
    byte[] given = HexFormat.of().parseHex(hex);
    System.arraycopy(given, 0, bytes, 0, given.length);
    return bytes;
  }

  /** {@return a copy of the datagram} */
  public Mad mad() {
    return Mad.of(MemorySegment.ofArray(bytes.clone()));
  }

  /** {@return the message, or why it is none} */
  public CmDecoded decoded() {
    return CmMessage.read(mad());
  }

  @Override
  public String toString() {
    return recording + "#" + frame;
  }
}
