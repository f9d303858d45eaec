package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("IBA verb Modify QP: attributes of a QP")
class QpAttrTest {
  private static final AhAttr AV = AhAttr.ofLid(1, 0x12, 3);
  private static final AhAttr ALT = AhAttr.ofLid(2, 0x13, 4);

  private record Attribute(Consumer<QpAttr> set, Function<QpAttr, Object> get, Object value) {}

  private static final Map<QpAttrMask, Attribute> ATTRIBUTES =
      Map.ofEntries(
          entry(QpAttrMask.STATE, a -> a.state(QpState.RTS), QpAttr::state, QpState.RTS),
          entry(QpAttrMask.CUR_STATE, a -> a.curState(QpState.SQE), QpAttr::curState, QpState.SQE),
          entry(
              QpAttrMask.EN_SQD_ASYNC_NOTIFY,
              a -> a.enSqdAsyncNotify(true),
              QpAttr::enSqdAsyncNotify,
              true),
          entry(QpAttrMask.ACCESS_FLAGS, a -> a.accessFlags(7), QpAttr::accessFlags, 7),
          entry(QpAttrMask.PKEY_INDEX, a -> a.pkeyIndex(0xFFFF), QpAttr::pkeyIndex, 0xFFFF),
          entry(QpAttrMask.PORT, a -> a.port(255), QpAttr::port, 255),
          entry(QpAttrMask.QKEY, a -> a.qkey(0x80010000), QpAttr::qkey, 0x80010000),
          entry(QpAttrMask.AV, a -> a.av(AV), QpAttr::av, AV),
          entry(QpAttrMask.PATH_MTU, a -> a.pathMtu(Mtu.MTU_2048), QpAttr::pathMtu, Mtu.MTU_2048),
          entry(QpAttrMask.TIMEOUT, a -> a.timeout(31), QpAttr::timeout, 31),
          entry(QpAttrMask.RETRY_CNT, a -> a.retryCount(6), QpAttr::retryCount, 6),
          entry(QpAttrMask.RNR_RETRY, a -> a.rnrRetry(7), QpAttr::rnrRetry, 7),
          entry(QpAttrMask.RQ_PSN, a -> a.rqPsn(0xFFFFFF), QpAttr::rqPsn, 0xFFFFFF),
          entry(QpAttrMask.MAX_QP_RD_ATOMIC, a -> a.maxRdAtomic(8), QpAttr::maxRdAtomic, 8),
          entry(
              QpAttrMask.ALT_PATH,
              a -> a.altPath(ALT, 5, 2, 14),
              QpAttr::altPath,
              new AltPath(ALT, 5, 2, 14)),
          entry(QpAttrMask.MIN_RNR_TIMER, a -> a.minRnrTimer(12), QpAttr::minRnrTimer, 12),
          entry(QpAttrMask.SQ_PSN, a -> a.sqPsn(0xABCDEF), QpAttr::sqPsn, 0xABCDEF),
          entry(
              QpAttrMask.MAX_DEST_RD_ATOMIC, a -> a.maxDestRdAtomic(9), QpAttr::maxDestRdAtomic, 9),
          entry(
              QpAttrMask.PATH_MIG_STATE,
              a -> a.pathMigState(MigState.REARM),
              QpAttr::pathMigState,
              MigState.REARM),
          entry(
              QpAttrMask.CAP,
              a -> a.cap(new QpCap(1, 2, 3, 4, 5)),
              QpAttr::cap,
              new QpCap(1, 2, 3, 4, 5)),
          entry(QpAttrMask.DEST_QPN, a -> a.destQpn(0x11), QpAttr::destQpn, 0x11));

  private static Map.Entry<QpAttrMask, Attribute> entry(
      QpAttrMask bit, Consumer<QpAttr> set, Function<QpAttr, Object> get, Object value) {
    return Map.entry(bit, new Attribute(set, get, value));
  }

  /** Sets an attribute to some value that fits it, for tests that only care which are set. */
  static void set(QpAttr attr, QpAttrMask bit) {
    ATTRIBUTES.get(bit).set.accept(attr);
  }

  @Test
  @DisplayName("Modify QP: each setter records its own bit and value, and no other")
  void eachSetter() {
    assertEquals(EnumSet.allOf(QpAttrMask.class), ATTRIBUTES.keySet());
    for (QpAttrMask bit : QpAttrMask.values()) {
      Attribute attribute = ATTRIBUTES.get(bit);
      QpAttr fresh = new QpAttr();
      QpAttr attr = new QpAttr();
      attribute.set.accept(attr);
      assertEquals(bit.mask(), attr.mask(), bit.name());
      for (QpAttrMask other : QpAttrMask.values()) {
        Object expected = other == bit ? attribute.value : ATTRIBUTES.get(other).get.apply(fresh);
        assertEquals(expected, ATTRIBUTES.get(other).get.apply(attr), bit + " changed " + other);
        assertEquals(other == bit, attr.has(other));
      }
    }
  }

  @Test
  @DisplayName("Modify QP: nothing is set at first")
  void empty() {
    QpAttr attr = new QpAttr();
    assertEquals(0, attr.mask());
    assertNull(attr.av());
    assertNull(attr.altPath());
    assertEquals("QpAttr[]", attr.toString());
  }

  @Test
  @DisplayName("Modify QP: a copy has everything and goes its own way")
  void copy() {
    QpAttr attr = new QpAttr();
    for (QpAttrMask bit : QpAttrMask.values()) {
      set(attr, bit);
    }
    QpAttr copy = attr.copy();
    assertNotSame(attr, copy);
    assertEquals(0x1FFFFF, copy.mask());
    ATTRIBUTES.forEach((bit, a) -> assertEquals(a.value, a.get.apply(copy), bit.name()));
    QpAttr small = new QpAttr().port(1);
    QpAttr changed = small.copy().port(2).qkey(3);
    assertEquals(1, small.port());
    assertFalse(small.has(QpAttrMask.QKEY));
    assertTrue(changed.has(QpAttrMask.QKEY));
    assertEquals("QpAttr[PORT, QKEY]", changed.toString());
  }

  @Test
  @DisplayName("Modify QP: numbers have the width of their header field; a refused one sets no bit")
  void ranges() {
    Map<ObjIntConsumer<QpAttr>, Integer> last =
        Map.ofEntries(
            Map.entry(QpAttr::pkeyIndex, 0xFFFF),
            Map.entry(QpAttr::port, 255),
            Map.entry(QpAttr::timeout, 31),
            Map.entry(QpAttr::retryCount, 7),
            Map.entry(QpAttr::rnrRetry, 7),
            Map.entry(QpAttr::rqPsn, 0xFFFFFF),
            Map.entry(QpAttr::maxRdAtomic, 255),
            Map.entry(QpAttr::minRnrTimer, 31),
            Map.entry(QpAttr::sqPsn, 0xFFFFFF),
            Map.entry(QpAttr::maxDestRdAtomic, 255),
            Map.entry(QpAttr::destQpn, 0xFFFFFF),
            Map.entry((a, v) -> a.altPath(ALT, v, 1, 0), 0xFFFF),
            Map.entry((a, v) -> a.altPath(ALT, 0, v, 0), 255),
            Map.entry((a, v) -> a.altPath(ALT, 0, 1, v), 31));
    last.forEach(
        (setter, max) -> {
          for (int wrong : Set.of(-1, max + 1, Integer.MAX_VALUE, Integer.MIN_VALUE)) {
            QpAttr attr = new QpAttr();
            assertThrows(IbInvalidException.class, () -> setter.accept(attr, wrong));
            assertEquals(0, attr.mask());
          }
          QpAttr attr = new QpAttr();
          setter.accept(attr, max);
          assertEquals(1, Integer.bitCount(attr.mask()));
        });
  }
}
