package ib.itests.interop.scenario;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What the server of a scenario does. */
final class Responder {
  private final Scenario end;

  Responder(Scenario end) {
    this.end = end;
  }

  void run() throws IOException {
    int expected = receives();
    int key = end.name.equals("send_inv") ? end.bind() : 0;
    end.talk.tell("go " + Integer.toUnsignedString(key));
    if (end.name.equals("rnr")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200)); // the sender is told to wait
      end.receive(1, 0, 1000);
    }
    end.completions(expected);
    end.talk.hear();
    data();
  }

  /** Prepares for what is to come; returns how many receives it will complete. */
  private int receives() {
    return switch (end.name) {
      case "ok" -> {
        end.receive(1, 0, 4000);
        end.receive(2, 4000, 4000);
        end.receive(3, 8000, 4000);
        yield 3;
      }
      case "too_long" -> {
        end.receive(1, 0, 50);
        end.receive(2, 0, 50);
        yield 2;
      }
      case "bad_lkey" -> {
        end.receive(1, 0, 200, end.mr.lkey() ^ 0x77);
        yield 1;
      }
      case "rnr" -> 1;
      case "send_inv", "inv_bad_rkey", "uc_writes", "ud_sends" -> {
        end.receive(1, 0, 3000);
        end.receive(2, 4000, 3000);
        yield 2;
      }
      case "misc" -> {
        end.receive(1, 0, 0);
        end.receive(2, 0, 2500);
        yield 2;
      }
      case "small" -> {
        end.pattern(12_000);
        for (int i = 1; i <= 4; i++) {
          end.receive(i, 1000 * i, 1000);
        }
        yield 4;
      }
      case "bulk" -> {
        for (int i = 0; i < Bulk.COUNT; i++) {
          end.receive(i, Bulk.LENGTH * i, Bulk.LENGTH);
        }
        yield Bulk.COUNT;
      }
      default -> 0;
    };
  }

  private void data() {
    switch (end.name) {
      case "ok" -> {
        end.data(0, 3001);
        end.data(20000, 3001);
        end.data(40000, 8);
      }
      case "misc", "uc_writes" -> end.data(20000, 2500);
      case "ud_sends" -> {
        end.data(0, 40); // the GRH
        end.data(40, 100);
        end.data(4000, 40);
        end.data(4040, 100);
      }
      case "small" -> {
        end.data(2000, 7);
        end.data(3000, 6);
        end.data(9000, 1025);
      }
      case "atomics" -> end.data(40000, 8);
      case "bulk" -> {
        for (int i = 0; i < 2 * Bulk.COUNT; i++) {
          end.data(Bulk.LENGTH * i, Bulk.LENGTH);
        }
        end.data(Bulk.COUNTER, 8);
      }
      default -> {}
    }
  }
}
