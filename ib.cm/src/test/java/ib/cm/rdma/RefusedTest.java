package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.cm.CmConnection;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.QueuePair;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName(
    "A16: a fault of the system is not reported as the will of the program at the other end")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedTest {
  private static final byte[] NONE = {};

  private final World world = new World();
  private final Party mine = new Party();

  @AfterEach
  void close() {
    world.close();
  }

  private static QpFactory without(Throwable memory) {
    return new QpFactory() {
      @Override
      public QueuePair make(IbDevice device, int port) {
        if (memory instanceof Error e) {
          throw e;
        }
        throw (RuntimeException) memory;
      }
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("a server without memory: reason 3, no resources")
  void memory(boolean ours) throws Exception {
    RdmaListener listener = world.listen();
    RdmaConnection a = world.client.start(world.at(listener), RdmaOptions.rc(), mine, mine);
    Throwable none =
        ours ? new IbNoMemoryException("alloc_mr", "no memory", "") : new OutOfMemoryError("none");
    RdmaRequest asked = world.request();
    assertThrows(
        none.getClass(), () -> asked.accept(RdmaOptions.rc(), without(none), RdmaHandler.NONE));
    assertEquals("RDMA_CM_EVENT_REJECTED, error 3", mine.hear());
    a.close();
  }

  @Test
  @DisplayName("a peer that rejects after its reply: the rejection is the end, not our next step")
  void rejectedAfterReply() throws Exception {
    RdmaListener silent = world.listen();
    RdmaConnection a = world.client.start(world.at(silent), RdmaOptions.rc(), mine, mine);
    world.request();
    CmConnection gone =
        (CmConnection)
            Proxy.newProxyInstance(
                CmConnection.class.getClassLoader(),
                new Class<?>[] {CmConnection.class},
                (self, method, args) ->
                    switch (method.getName()) {
                      case "announced" -> args[0];
                      case "ready" ->
                          throw new IbInvalidException("ready", "the state is GONE", "events");
                      default -> null;
                    });
    a.heard(gone, new CmEvent.Replied(CmEndpoint.of(77, 1), NONE));
    a.heard(gone, new CmEvent.Ended(CmEnd.REJECTED, CmConnection.CONSUMER_REJECT, NONE, NONE));
    assertEquals("RDMA_CM_EVENT_REJECTED, error 28", mine.hear());
    a.close();
  }
}
