package ib.engine;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Long TCP segments, and how they are cut: written for reading, to compare with. */
record TcpCut(byte[] header, byte[] data, int mss) {
  static final int FIN = 1;
  static final int PSH = 8;
  static final int ACK = 0x10;
  static final int ECE = 0x40;
  static final int CWR = 0x80;
  private static final int[] FLAGS = {ACK, ACK | PSH, ACK | FIN | PSH, ACK | ECE | CWR | PSH};

  /** A random one that fits an MTU. */
  static TcpCut random(RandomGenerator r, int mtu) {
    boolean four = r.nextBoolean();
    int ipOptions = four ? 4 * r.nextInt(0, 11) : 0;
    int tcpOptions = 4 * r.nextInt(0, 11);
    int headers = 4 + (four ? 20 + ipOptions : 40) + 20 + tcpOptions;
    int mss = r.nextInt(1, 9) == 1 ? r.nextInt(1, 64) : r.nextInt(64, mtu - headers + 1);
    int segments = r.nextInt(1, Math.min(60, 60_000 / mss) + 1);
    byte[] data = new byte[(segments - 1) * mss + r.nextInt(1, mss + 1)];
    r.nextBytes(data);
    byte[] header = new byte[headers];
    r.nextBytes(header);
    ByteBuffer b = ByteBuffer.wrap(header);
    int tcp = headers - 20 - tcpOptions;
    b.putShort(0, (short) (four ? 0x0800 : 0x86dd)).putShort(2, (short) 0);
    if (four) {
      b.put(4, (byte) (0x40 | 5 + ipOptions / 4)).put(13, (byte) 6).putShort(10, (short) 0x4000);
      b.putShort(8, (short) r.nextInt(0xfff0, 0x10010)); // wraps
    } else {
      b.put(4, (byte) 0x60).put(10, (byte) 6);
    }
    b.putInt(tcp + 4, r.nextInt(-40_000, 40_000)); // wraps
    b.put(tcp + 12, (byte) ((20 + tcpOptions) / 4 << 4));
    b.put(tcp + 13, (byte) FLAGS[r.nextInt(FLAGS.length)]);
    return new TcpCut(header, data, mss);
  }

  boolean four() {
    return header[4] >> 4 == 4;
  }

  /** Where TCP begins. */
  int tcp() {
    return 4 + (four() ? (header[4] & 15) * 4 : 40);
  }

  /** The segments, with their headers. */
  List<byte[]> segments() {
    List<byte[]> all = new ArrayList<>();
    for (int at = 0; at < data.length; at += mss) {
      int bytes = Math.min(mss, data.length - at);
      ByteBuffer b = ByteBuffer.allocate(header.length + bytes);
      b.put(header).put(data, at, bytes);
      boolean last = at + bytes == data.length;
      int flags = b.get(tcp() + 13) & 0xff;
      flags = last ? flags : flags & ~FIN & ~PSH;
      b.put(tcp() + 13, (byte) (at == 0 ? flags : flags & ~CWR));
      b.putInt(tcp() + 4, b.getInt(tcp() + 4) + at);
      ip(b, all.size());
      b.putShort(tcp() + 16, (short) 0).putShort(tcp() + 16, checksum(pseudo(b)));
      all.add(b.array());
    }
    return all;
  }

  private void ip(ByteBuffer b, int index) {
    int length = b.capacity() - 4;
    if (four()) {
      b.putShort(6, (short) length).putShort(8, (short) (b.getShort(8) + index));
      b.putShort(14, (short) 0).putShort(14, checksum(slice(b, 4, tcp())));
    } else {
      b.putShort(8, (short) (length - 40));
    }
  }

  /** The pseudo header and what follows it (RFC 9293 section 3.1, RFC 8200 section 8.1). */
  private byte[] pseudo(ByteBuffer b) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(four() ? slice(b, 16, 24) : slice(b, 12, 44));
    out.writeBytes(ByteBuffer.allocate(8).putInt(b.capacity() - tcp()).putInt(6).array());
    out.writeBytes(slice(b, tcp(), b.capacity()));
    return out.toByteArray();
  }

  private static byte[] slice(ByteBuffer b, int from, int to) {
    byte[] bytes = new byte[to - from];
    b.get(from, bytes);
    return bytes;
  }

  /** RFC 1071, word by word. */
  private static short checksum(byte[] bytes) {
    int sum = 0;
    for (int i = 0; i < bytes.length; i++) {
      sum += (bytes[i] & 0xff) << (i % 2 == 0 ? 8 : 0);
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return (short) ~sum;
  }
}
