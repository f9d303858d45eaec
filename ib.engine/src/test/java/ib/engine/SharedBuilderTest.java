package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.TestControl;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, S16: two threads in one builder get a status and a violation")
class SharedBuilderTest {
  private final Rig rig = Rig.two();

  @AfterEach
  void close() {
    rig.close();
  }

  private static void elsewhere(Runnable body) {
    CompletableFuture.runAsync(body).join();
  }

  @Test
  @DisplayName("S16: the batch is the last starter's; another thread's requests are left out")
  void taken() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    var qp = rig.a().qp;
    TestControl control = (TestControl) qp.control();
    assertEquals(PostStatus.OK, rig.b().qp.postReceive(new RecvWr(1)));
    elsewhere(() -> qp.wrStart().wrId(1).wrFlags(SendFlags.SIGNALED).wrSend());
    qp.wrStart().wrId(2).wrFlags(SendFlags.SIGNALED).wrSend();
    elsewhere(
        () -> {
          qp.wrId(3).wrSend().wrSetSge(1, 2, 3); // not of the batch, and no mistake in it
          assertEquals(PostStatus.BUSY, qp.wrComplete());
          qp.wrAbort();
        });
    assertEquals(2, control.broken().size(), control.broken()::toString);
    assertTrue(
        control.broken().element().startsWith("S16 QP has one builder: wrComplete was called"),
        control.broken()::element);
    assertEquals(PostStatus.OK, qp.wrComplete());
    var wc = Rig.await(rig.a().sendCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(2, wc.wrId());
  }

  @Test
  @DisplayName("S16: threads that use it in turn have no part in this")
  void inTurn() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    var qp = rig.a().qp;
    for (int i = 0; i < 2; i++) {
      assertEquals(PostStatus.OK, rig.b().qp.postReceive(new RecvWr(1).wrId(i)));
    }
    elsewhere(() -> assertEquals(PostStatus.OK, qp.wrStart().wrSend().wrComplete()));
    assertEquals(
        PostStatus.OK, qp.wrStart().wrId(5).wrFlags(SendFlags.SIGNALED).wrSend().wrComplete());
    assertEquals(5, Rig.await(rig.a().sendCq).wrId());
    assertTrue(((TestControl) qp.control()).broken().isEmpty());
  }
}
