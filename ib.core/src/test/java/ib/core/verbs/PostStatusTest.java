package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U21: results of posts as text")
class PostStatusTest {

  @Test
  @DisplayName("each constant is named with its number, and all but OK with what to try")
  void all() throws Exception {
    int seen = 0;
    for (Field field : PostStatus.class.getFields()) {
      int status = field.getInt(null);
      String text = PostStatus.text(status);
      assertTrue(text.startsWith(field.getName() + " (" + status + "): "), text);
      assertEquals(status != PostStatus.OK, text.contains(". Try: "), text);
      seen++;
    }
    assertEquals(7, seen);
  }

  @Test
  @DisplayName("what is no result is called so")
  void other() {
    assertEquals("status 5: no result of a data path call", PostStatus.text(5));
  }
}
