package ib.engine;

import ib.core.wire.Bth;
import ib.kit.capture.CaptureReader;
import ib.kit.capture.CapturedPacket;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The packets that a capture has written. */
final class CaptureFile {
  private final List<CapturedPacket> packets = new CopyOnWriteArrayList<>();

  WritableByteChannel sink() {
    return new CaptureReader(packets::add);
  }

  List<Integer> opcodes() {
    return packets.stream().map(p -> p.bth().map(Bth::opcode).orElseThrow()).toList();
  }

  List<String> comments(boolean incoming) {
    return packets.stream()
        .filter(p -> p.incoming() == incoming)
        .map(CapturedPacket::comment)
        .toList();
  }
}
