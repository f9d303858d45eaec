package ib.core.mad.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.smp.MadField;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CmMessageTest {
  private static final int MAD_BYTES = 256;

  /** Recorded messages that are none for us, and why. */
  private static final Map<String, CmDrop> REFUSED =
      Map.of(
          "cm_probe_malformed#3", CmDrop.VERSION,
          "cm_probe_malformed#4", CmDrop.METHOD,
          "cm_probe_malformed#5", CmDrop.METHOD,
          "cm_probe_malformed#6", CmDrop.METHOD,
          "cm_probe_malformed#7", CmDrop.ATTRIBUTE,
          "cm_probe_malformed#30", CmDrop.MTU);

  @Test
  @DisplayName("CM-5: each field of each recorded message is what another decoder has read")
  void fields() {
    Map<CmKind, Integer> kinds = new EnumMap<>(CmKind.class);
    for (Recorded r : Recorded.all()) {
      CmDecoded decoded = r.decoded();
      CmDrop refused = REFUSED.get(r.toString());
      if (refused != null) {
        assertEquals(refused, decoded, r.toString());
        continue;
      }
      CmMessage m = assertInstanceOf(CmMessage.class, decoded, r.toString());
      assertEquals(r.attribute(), m.kind().attribute(), r.toString());
      if (!r.fields().isEmpty()) {
        kinds.merge(m.kind(), 1, Integer::sum);
        assertEquals(r.fields(), read(m, r.fields()), r.toString());
      }
    }
    assertEquals(CmKind.values().length - 1, kinds.size(), "only APR was never recorded: " + kinds);
    assertEquals(321, kinds.values().stream().mapToInt(n -> n).sum(), kinds.toString());
  }

  private static Map<String, String> read(CmMessage m, Map<String, String> wanted) {
    Map<String, String> read = new TreeMap<>();
    for (CmField each : CmField.values()) {
      if (each.kind() == m.kind() && wanted.containsKey(each.label())) {
        read.put(each.label(), Long.toHexString(m.longValue(each)));
      }
    }
    byte[] data = m.privateData();
    if (wanted.containsKey("header")) {
      CmaHeader h = CmaHeader.read(data);
      int ip = data[1] >> 4;
      String port = ip + ":" + Integer.toHexString(h.port());
      String addresses = h.source().getHostAddress() + ":" + h.destination().getHostAddress();
      read.put("header", ip == 5 ? port : port + ":" + addresses); // 5 is none, M5
      data = CmaHeader.consumer(data);
    }
    String text = HexFormat.of().formatHex(data).replaceAll("(00)+$", "");
    if (!text.isEmpty()) {
      read.put("private", text);
    }
    return read;
  }

  @Test
  @DisplayName("CM-5: a recorded message written field by field has the recorded bytes")
  void written() {
    for (Recorded r : Recorded.all()) {
      if (r.decoded() instanceof CmMessage m) {
        CmMessage copy = CmMessage.of(m.kind(), m.tid());
        for (CmField each : CmField.values()) {
          if (each.kind() == m.kind()) {
            copy.set(each, m.longValue(each));
          }
        }
        if (m.kind() == CmKind.REJ) {
          copy.rejectInfo(m.info());
        }
        copy.privateData(m.privateData());
        assertArrayEquals(bytes(m), bytes(copy), r.toString());
      }
    }
  }

  private static byte[] bytes(CmMessage m) {
    return m.mad().bytes().toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  @DisplayName("no two fields of a message share a bit, and none reaches into the private data")
  void disjoint() {
    for (CmKind kind : CmKind.values()) {
      BitSet taken = new BitSet();
      for (CmField each : CmField.values()) {
        if (each.kind() == kind) {
          BitSet own = new BitSet();
          own.set(each.bit(), each.bit() + each.bits());
          assertTrue(!own.intersects(taken), each + " shares a bit");
          taken.or(own);
        }
      }
      assertTrue(taken.length() <= kind.privateAt() * 8, kind + " runs into its private data");
      assertTrue(kind.privateAt() + kind.privateBytes() <= MAD_BYTES - 24, kind.name());
    }
  }

  @Test
  @DisplayName("CM-2: another version, a method other than Send, and a response are dropped")
  void headers() {
    Mad mad = request().mad();
    mad.header().classVersion(1);
    assertEquals(CmDrop.VERSION, CmMessage.read(mad));
    mad.header().classVersion(CmMessage.CLASS_VERSION);
    mad.header().response(true);
    assertEquals(CmDrop.METHOD, CmMessage.read(mad));
    mad.header().response(false);
    mad.header().method(1);
    assertEquals(CmDrop.METHOD, CmMessage.read(mad));
    mad.header().method(3);
    mad.header().attributeId(0x1b);
    assertEquals(CmDrop.ATTRIBUTE, CmMessage.read(mad));
  }

  @Test
  @DisplayName("fields out of range give a named drop")
  void ranges() {
    assertEquals(CmDrop.NO_NAME, CmMessage.read(request().ids(0, 0).mad()));
    assertEquals(CmDrop.MTU, CmMessage.read(request().set(CmField.REQ_MTU, 6).mad()));
    assertEquals(CmDrop.MTU, CmMessage.read(request().set(CmField.REQ_MTU, 0).mad()));
    CmMessage rej = CmMessage.of(CmKind.REJ, 1).set(CmField.REJ_INFO_LEN, 73);
    assertEquals(CmDrop.INFO_LENGTH, CmMessage.read(rej.mad()));
    assertInstanceOf(CmMessage.class, CmMessage.read(request().mad()));
  }

  private static CmMessage request() {
    return CmMessage.of(CmKind.REQ, 7).ids(5, 0).set(CmField.REQ_MTU, 3);
  }

  @Test
  @DisplayName("any 256 bytes are a message, whose every part can be read, or a named drop")
  void total() {
    Random random = new Random(14);
    int messages = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[MAD_BYTES];
      random.nextBytes(bytes);
      if (i % 2 == 0) { // a plausible header
        MemorySegment s = MemorySegment.ofArray(bytes);
        MadField.write(s, 0, 32, 0x01070203);
        MadField.write(s, 128, 16, 0x10 + random.nextInt(11));
      }
      if (CmMessage.read(Mad.of(MemorySegment.ofArray(bytes))) instanceof CmMessage m) {
        messages++;
        assertEquals(m.kind().privateBytes(), m.privateData().length);
        assertTrue(m.toString().startsWith("CM " + m.kind()));
        if (m.kind() == CmKind.REJ) {
          assertTrue(m.info().length <= CmMessage.MAX_REJ_INFO);
        }
      }
    }
    assertTrue(messages > 1_000, messages + " of 20000 were messages");
  }

  @Test
  @DisplayName("CM-10: longer private data than a message carries is refused with both numbers")
  void privateData() {
    for (CmKind kind : CmKind.values()) {
      int most = kind.privateBytes();
      byte[] full = new byte[most];
      full[most - 1] = 1;
      assertArrayEquals(full, CmMessage.of(kind, 1).privateData(full).privateData());
      CmMessage m = CmMessage.of(kind, 1);
      var refused = assertThrows(IbInvalidException.class, () -> m.privateData(new byte[most + 1]));
      String text = String.valueOf(refused.getMessage());
      assertTrue(text.contains("" + (most + 1)) && text.contains("" + most), text);
    }
  }

  @Test
  @DisplayName("GIDs and names are written where they are read")
  void gids() {
    Gid gid = new Gid(0xfe80_0000_0000_0000L, 0x1122_3344_5566_7788L);
    CmMessage m = request().set(CmField.REQ_REMOTE_GID, gid).ids(0x8000_0001, 0);
    assertEquals(gid, m.gid(CmField.REQ_REMOTE_GID));
    assertEquals(Gid.ZERO, m.gid(CmField.REQ_LOCAL_GID));
    assertEquals(0x8000_0001, m.localId());
  }
}
