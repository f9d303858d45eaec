package ib.tools.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.RdmaStreamListener;
import ib.cm.stream.StreamOptions;
import ib.core.client.ClientRegistration;
import ib.driver.soft.standalone.SoftFabric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("U24: the stream of docs/cookbook.md, run")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamRecipeTest {
  @Test
  void stream() throws Exception {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      CmClient manager = CmClient.create();
      ClientRegistration registration = fabric.core().registerClient(manager);
      InetAddress host = InetAddress.getByName(fabric.device("soft1").gid(1, 0).toString());
      try (RdmaCm server = RdmaCm.open(fabric.core(), manager, "server");
          RdmaCm client = RdmaCm.open(fabric.core(), manager, "client");
          var listener =
              RdmaStreamListener.listen(
                  server, new InetSocketAddress(0), 4, StreamOptions.defaults())) {
        Thread echo =
            Thread.startVirtualThread(
                () -> {
                  try (RdmaStream peer = listener.accept()) {
                    peer.inputStream().transferTo(peer.outputStream());
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        InetSocketAddress there = new InetSocketAddress(host, listener.localAddress().getPort());
        try (RdmaStream stream = RdmaStream.connect(client, there, StreamOptions.defaults())) {
          stream.outputStream().write("hello".getBytes(StandardCharsets.UTF_8));
          stream.shutdownOutput();
          assertEquals(
              "hello", new String(stream.inputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
        echo.join();
      }
      registration.unregister();
    }
  }
}
