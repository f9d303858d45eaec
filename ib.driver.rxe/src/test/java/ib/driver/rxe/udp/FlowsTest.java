package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.engine.wire.Packet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("UDP source ports as Linux rdma_rxe computes them")
final class FlowsTest {
  @ParameterizedTest
  @CsvSource({
    // opcode, source QP, destination QP, flow label, port
    "100, 1, 1, 0, 0xD872",
    "4, 17, 17, 0, 0xC121",
    "4, 17, 17, 0x12345, 0xE341",
    "17, 1048576, 1048576, 0, 0xC001",
  })
  void port(int opcode, int source, int destination, String label, String port) {
    ReceivePool pool = new ReceivePool(1, 64, 1, 1);
    try (pool) {
      ReceiveBuffer buffer = pool.buffer();
      Packet p = pool.packet(buffer);
      p.opcode = opcode;
      p.sourceQpn = source;
      p.destQpn = destination;
      p.flowLabel = Integer.decode(label);
      assertEquals(Integer.decode(port), Flows.port(p));
    }
  }
}
