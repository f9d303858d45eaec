package samples.kv.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.*;
import ib.kit.fabric.IbFabric;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import samples.kv.api.Bucket;
import samples.kv.api.KeyValueServer;
import samples.kv.api.StoreException;
import samples.kv.api.StoreException.Reason;

/** A server of another version, which refuses every message. */
@IbFabric
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionTest {
  @Test
  void aRefusalIsAFailureOfTheRequest(IbDevice far, IbDevice near) {
    Client client = new Client("soft1");
    client.add(near);
    client.bindServer(to -> new Refusing(far, to));
    try {
      for (Executable request :
          List.<Executable>of(() -> client.put("key", "value"), () -> client.delete("key"))) {
        StoreException failure = assertThrows(StoreException.class, request);
        assertEquals(Reason.REFUSED, failure.reason());
        assertTrue(failure.getMessage().contains("samples.kv.api"), failure.getMessage());
      }
    } finally {
      client.remove(near, null);
    }
  }

  private static final class Refusing implements KeyValueServer.Connection {
    private final ProtectionDomain pd;
    private final MemoryRegion memory;
    private final CompletionQueue cq;
    private final QueuePair qp;

    Refusing(IbDevice device, QueuePair client) {
      pd = device.allocPd();
      memory = pd.allocMemory(Bucket.BYTES, 64, Access.LOCAL_WRITE);
      cq = device.createCq(CqInit.managed(4, 0, PollContext.EVENT_LOOP));
      qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(2, 2, 1, 1, 0)));
      QueuePairs.connect(client, qp);
      receive();
    }

    private void receive() {
      qp.postReceive(this::received, memory.lkey(), memory.iova(), Bucket.BYTES);
    }

    private void received(CompletionQueue on, WorkCompletion wc) {
      if (wc.status() == WcStatus.SUCCESS) {
        receive();
        qp.wrStart().wrCqe((sent, done) -> {}).wrSendImm(KeyValueServer.REFUSED).wrComplete();
      }
    }

    @Override
    public int rkey() {
      return memory.rkey();
    }

    @Override
    public long address() {
      return memory.iova();
    }

    @Override
    public int buckets() {
      return 1;
    }

    @Override
    public void close() {
      List.of(qp, cq, memory, pd).forEach(IbObject::close);
    }
  }
}
