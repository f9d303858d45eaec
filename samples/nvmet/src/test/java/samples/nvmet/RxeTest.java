package samples.nvmet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.driver.rxe.standalone.RxeHost;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same over RoCE devices, whose packets are lost or sent twice, or are none. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RxeTest {
  private static final String TARGET = "127.0.44.20"; // no other test has them
  private static final String HOST = "127.0.44.21";

  private final TargetTest tests = new TargetTest();

  private static RxeHost open(String faults) {
    RxeHost.Options options =
        RxeHost.options().device("rxe0", TARGET).device("rxe1", HOST).seed(44);
    return (faults.isEmpty() ? options : options.faults(faults)).open();
  }

  /** What a test does with the two devices. */
  @FunctionalInterface
  private interface Body {
    void run(RxeHost host) throws Exception;
  }

  private static void on(String faults, Body body) throws Exception {
    try (RxeHost host = open(faults)) {
      body.run(host);
      assertEquals(List.of(), host.core().violations());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "loss rate=0.03", "duplicate rate=0.2"})
  void nv5BlocksGoToTheStoreAndComeBack(String faults) throws Exception {
    on(
        faults,
        h -> tests.nv5BlocksGoToTheStoreAndComeBack(h.core(), h.device("rxe0"), h.device("rxe1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "loss rate=0.03", "duplicate rate=0.2"})
  void nv6KeysAreRegisteredAndInvalidated(String faults) throws Exception {
    on(
        faults,
        h ->
            tests.nv6AKeyIsRegisteredBeforeEachCommandAndInvalidatedByItsResponse(
                h.core(), h.device("rxe0"), h.device("rxe1")));
  }

  /**
   * Without loss: the refusal is sent once, and when it is lost nobody answers the target any more
   * (IBA 9.9.3: a responder that refused is in the error state), so the target's reason is another.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "duplicate rate=0.2"})
  void nv6AnInvalidatedKeyOpensNothing(String faults) throws Exception {
    on(
        faults,
        h -> tests.nv6AnInvalidatedKeyOpensNothing(h.core(), h.device("rxe0"), h.device("rxe1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "loss rate=0.03", "duplicate rate=0.2"})
  void aWholeQueueOfWritesIsRead(String faults) throws Exception {
    on(
        faults,
        h ->
            tests.rg13AWholeQueueOfWritesIsReadThoughTheHostServesFewReadsAtOnce(
                h.core(), h.device("rxe0"), h.device("rxe1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "loss rate=0.03", "duplicate rate=0.2"})
  void responsesWaitForTheReceivesOfTheHost(String faults) throws Exception {
    on(
        faults,
        h ->
            tests.responsesWaitForTheReceivesOfTheHost(
                h.core(), h.device("rxe0"), h.device("rxe1")));
  }
}
