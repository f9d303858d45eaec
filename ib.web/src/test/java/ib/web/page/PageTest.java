package ib.web.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The frame of the screens")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PageTest {
  @Test
  @DisplayName("texts and attribute values are escaped, coordinates are short")
  void markup() {
    String html =
        new Markup()
            .open("a", "title", "\"><b>", "x", 1.0 / 3)
            .text("<b>&")
            .close("a")
            .button("do", "it", "device", "' onclick='x")
            .toString();
    assertEquals(
        "<a title=\"&#34;>&lt;b>\" x=\"0.3\">&lt;b&gt;&amp;</a>"
            + "<button type=\"button\" data-act=\"do\" data-device=\"&#39; onclick=&#39;x\">it</button>",
        html);
  }

  @Test
  @DisplayName("a parameter that is too long is refused with the bound")
  void longParameter() {
    Map<String, String> values = Map.of("device", "x".repeat(Query.MAX_CHARACTERS + 1));
    RefusedException e = assertThrows(RefusedException.class, () -> new Query(values));
    assertEquals("device has 201 characters, at most 200 are possible", e.getMessage());
    assertEquals("", new Query(Map.of()).get("missing"));
  }

  @Test
  @DisplayName("a stream writes a drawing when it has changed, each of its lines as data")
  void stream() throws Exception {
    Streams streams = new Streams();
    Iterator<String> drawings = List.of("one\ntwo", "one\ntwo", "three").iterator();
    StringWriter out = new StringWriter();
    assertTrue(streams.enter());
    streams.serve(
        out,
        () -> {
          if (!drawings.hasNext()) {
            Thread.ofPlatform().start(streams::close);
            return "three";
          }
          streams.wake();
          return drawings.next();
        });
    streams.leave();
    assertEquals("data: one\ndata: two\n\ndata: three\n\n", out.toString());
  }

  @Test
  @DisplayName("a stream whose browser has gone ends, and gives its place back")
  void aBrowserThatHasGone() {
    Streams streams = new Streams();
    Writer gone =
        new Writer() {
          @Override
          public void write(char[] text, int from, int length) throws IOException {
            throw new IOException("gone");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    assertThrows(IOException.class, () -> streams.serve(gone, () -> "text"));
  }

  @Test
  @DisplayName("there are so many streams at most; close ends all of them and lets none in")
  void bound() throws Exception {
    Streams streams = new Streams();
    CountDownLatch drawn = new CountDownLatch(Streams.MAX_STREAMS);
    CountDownLatch ended = new CountDownLatch(Streams.MAX_STREAMS);
    for (int i = 0; i < Streams.MAX_STREAMS; i++) {
      assertTrue(streams.enter());
      Thread.ofPlatform().start(() -> follow(streams, drawn, ended));
    }
    assertFalse(streams.enter());
    drawn.await();
    streams.close();
    ended.await();
    assertFalse(streams.enter());
  }

  private static void follow(Streams streams, CountDownLatch drawn, CountDownLatch ended) {
    try {
      streams.serve(
          new StringWriter(),
          () -> {
            drawn.countDown();
            return "text";
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      streams.leave();
      ended.countDown();
    }
  }
}
