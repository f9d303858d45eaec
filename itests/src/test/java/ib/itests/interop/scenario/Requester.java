package ib.itests.interop.scenario;

import ib.core.verbs.WrOpcode;
import java.io.IOException;

/** What the client of a scenario does. */
final class Requester {
  private final Scenario end;

  Requester(Scenario end) {
    this.end = end;
  }

  void run() throws IOException {
    int windowKey = Integer.parseUnsignedInt(end.talk.hear().split(" ")[1]);
    switch (end.name) {
      case "ok" -> everything();
      case "misc" -> misc();
      case "small" -> small();
      case "read0" -> {
        end.post(1, WrOpcode.RDMA_READ, 0, 0);
        end.completions(1);
      }
      case "atomics" -> atomics();
      case "bulk" -> bulk();
      case "send_inv" -> invalidate(windowKey);
      case "inv_bad_rkey" -> {
        end.sendAndInvalidate(1, 20, end.remoteKey ^ 0x5500);
        end.completions(1);
      }
      case "uc_writes" -> writes();
      case "ud_sends" -> {
        end.pattern(100);
        end.post(1, WrOpcode.SEND, 0, 100);
        end.post(2, WrOpcode.SEND_WITH_IMM, 0, 100);
        end.completions(2);
        end.data(0, 100);
      }
      case "bad_rkey" -> {
        end.post(1, WrOpcode.RDMA_WRITE, 0, 100, 0, end.remoteKey ^ 0x55);
        end.post(2, WrOpcode.RDMA_WRITE, 0, 100, 0, end.remoteKey);
        end.completions(2);
      }
      case "bad_rkey_read" -> one(WrOpcode.RDMA_READ, 100, Scenario.SIZE - 50);
      case "no_perm" -> one(WrOpcode.RDMA_READ, 100, 0);
      case "misaligned_atomic" -> one(WrOpcode.ATOMIC_FETCH_AND_ADD, 8, 3);
      default -> one(WrOpcode.SEND, 100, 0);
    }
    end.talk.tell("end");
  }

  private void one(WrOpcode opcode, int length, int remote) {
    end.post(1, opcode, 0, length, remote, end.remoteKey);
    end.completions(1);
  }

  private void invalidate(int key) {
    end.post(1, WrOpcode.RDMA_WRITE, 0, 16, 128, key);
    end.completions(1);
    end.sendAndInvalidate(2, 20, key);
    end.completions(1);
    end.post(3, WrOpcode.RDMA_WRITE, 0, 16, 128, key);
    end.completions(1);
  }

  private void writes() {
    end.pattern(2500);
    end.post(1, WrOpcode.RDMA_WRITE, 0, 2500, 20000, end.remoteKey);
    end.post(2, WrOpcode.RDMA_WRITE_WITH_IMM, 0, 10, 20000, end.remoteKey);
    end.post(3, WrOpcode.SEND_WITH_IMM, 0, 10);
    end.completions(3);
    end.data(0, 2500);
  }

  private void misc() {
    end.pattern(2500);
    end.post(1, WrOpcode.RDMA_WRITE_WITH_IMM, 0, 2500, 20000, end.remoteKey);
    end.post(2, WrOpcode.SEND_WITH_IMM, 0, 2500);
    end.post(3, WrOpcode.RDMA_WRITE, 0, 0, 0, 0);
    end.post(4, WrOpcode.RDMA_READ, 30000, 1024, 20000, end.remoteKey);
    end.post(5, WrOpcode.RDMA_READ, 31024, 1476, 21024, end.remoteKey);
    end.completions(5);
    end.data(30000, 2500);
  }

  /** Nothing, a byte, a packet less and a byte more than a packet. */
  private void small() {
    end.pattern(4000);
    end.post(1, WrOpcode.SEND, 0, 0);
    end.post(2, WrOpcode.SEND, 0, 7);
    end.post(3, WrOpcode.SEND_WITH_IMM, 0, 6);
    end.post(4, WrOpcode.SEND_WITH_IMM, 0, 0);
    end.post(5, WrOpcode.RDMA_WRITE, 0, 0);
    end.post(6, WrOpcode.RDMA_WRITE, 5, 1, 9001, end.remoteKey);
    end.post(7, WrOpcode.RDMA_READ, 20000, 13, 9000, end.remoteKey);
    end.post(8, WrOpcode.RDMA_READ, 21000, 1024, 9000, end.remoteKey);
    end.post(9, WrOpcode.RDMA_READ, 23000, 1025, 9000, end.remoteKey);
    end.completions(9);
    end.data(20000, 13);
    end.data(21000, 1024);
    end.data(23000, 1025);
  }

  private void everything() {
    end.pattern(3001);
    end.post(1, WrOpcode.SEND, 0, 3001);
    end.post(2, WrOpcode.SEND, 0, 0);
    end.post(3, WrOpcode.SEND_WITH_IMM, 0, 7);
    end.post(4, WrOpcode.RDMA_WRITE, 0, 3001, 20000, end.remoteKey);
    end.post(5, WrOpcode.RDMA_READ, 30000, 3001, 20000, end.remoteKey);
    end.atomic(6, WrOpcode.ATOMIC_FETCH_AND_ADD, 50000, 40000, 5, 0);
    end.atomic(7, WrOpcode.ATOMIC_CMP_AND_SWP, 50008, 40000, 5, 9);
    end.completions(7);
    end.data(30000, 3001);
    end.data(50000, 16);
  }

  /** A comparison that fails, one that holds, a sum, and one that wraps around. */
  private void atomics() {
    end.atomic(1, WrOpcode.ATOMIC_CMP_AND_SWP, 0, 40000, 0xdead, 1);
    end.atomic(2, WrOpcode.ATOMIC_CMP_AND_SWP, 8, 40000, 0, 0x0102030405060708L);
    end.atomic(3, WrOpcode.ATOMIC_FETCH_AND_ADD, 16, 40000, 5, 0);
    end.atomic(4, WrOpcode.ATOMIC_FETCH_AND_ADD, 24, 40000, -1, 0);
    end.completions(4);
    end.data(0, 32);
  }

  private void bulk() {
    end.pattern(2 * Bulk.LENGTH);
    for (int i = 0; i < Bulk.COUNT; i++) {
      end.post(i, WrOpcode.SEND, i, Bulk.LENGTH);
      int to = Bulk.written(i);
      end.post(10 + i, WrOpcode.RDMA_WRITE, 10 + i, Bulk.LENGTH, to, end.remoteKey);
    }
    end.completions(2 * Bulk.COUNT);
    for (int i = 0; i < Bulk.COUNT; i++) {
      int from = Bulk.written(i);
      end.post(20 + i, WrOpcode.RDMA_READ, Bulk.read(i), Bulk.LENGTH, from, end.remoteKey);
      end.atomic(30 + i, WrOpcode.ATOMIC_FETCH_AND_ADD, Bulk.COUNTER + 8 * i, Bulk.COUNTER, 5, 0);
    }
    end.completions(2 * Bulk.COUNT);
    for (int i = 0; i < Bulk.COUNT; i++) {
      end.data(Bulk.read(i), Bulk.LENGTH);
    }
    end.data(Bulk.COUNTER, 8 * Bulk.COUNT);
  }
}
