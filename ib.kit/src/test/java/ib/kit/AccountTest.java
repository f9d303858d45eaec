package ib.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.PostStatus;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The account of requests and completions that the cases of a device's removal keep. */
final class AccountTest {
  private final Account account = new Account();

  private long post() {
    long[] id = {-1};
    int status =
        account.post(
            i -> {
              id[0] = i;
              return PostStatus.OK;
            });
    assertEquals(PostStatus.OK, status);
    return id[0];
  }

  private void complete(long id) {
    account.enter(new WorkCompletion().wrId(id).status(WcStatus.SUCCESS));
  }

  @Test
  @DisplayName("who posts until the device has gone never runs out of ids, however fast it is")
  void idsAreUsedAgain() {
    for (int i = 0; i < 3 * Account.IDS; i++) {
      complete(post());
    }
    account.assertExact();
    assertEquals(3 * Account.IDS, account.succeeded());
  }

  @Test
  @DisplayName("the id of a request that has not completed is not used again")
  void openIdsAreKept() {
    long open = post();
    for (int i = 1; i < Account.IDS; i++) {
      complete(post());
    }
    assertEquals(PostStatus.QUEUE_FULL, account.post(id -> PostStatus.OK));
    assertThrows(AssertionError.class, account::assertExact);
    complete(open);
    assertEquals(open, post());
  }

  @Test
  @DisplayName("a request that completes twice is found, also when its id was used before")
  void secondCompletion() {
    for (int i = 0; i <= Account.IDS; i++) {
      complete(post());
    }
    account.assertExact();
    complete(0);
    assertThrows(AssertionError.class, account::assertExact);
  }

  @Test
  @DisplayName("the id of a request that was refused is given to the next one")
  void refusedIdsAreUsedAgain() {
    for (int i = 0; i < 3; i++) {
      assertEquals(PostStatus.GONE, account.post(id -> PostStatus.GONE));
    }
    assertEquals(0, post());
    complete(0);
    account.assertExact();
  }
}
