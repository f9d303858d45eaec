package ib.launcher.service;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.Instant;
import java.util.Properties;

/**
 * A runtime's word about itself, which each caller gets first.
 *
 * @param process its number
 * @param version the distribution's
 * @param since when it was ready
 * @param missing configured devices that were not there then: a sentence each, or empty
 */
record Hello(long process, String version, Instant since, String missing) {
  Frame frame() throws IOException {
    Properties values = new Properties();
    values.setProperty("process", Long.toString(process));
    values.setProperty("version", version);
    values.setProperty("since", since.toString());
    values.setProperty("missing", missing);
    StringWriter text = new StringWriter();
    values.store(text, null);
    return Frame.of(Frame.Kind.HELLO, text.toString());
  }

  static Hello of(Frame frame) throws IOException {
    if (frame.kind() != Frame.Kind.HELLO) {
      throw new IOException("the service does not say hello but " + frame.kind());
    }
    Properties values = new Properties();
    values.load(new StringReader(frame.text()));
    return new Hello(
        Long.parseLong(values.getProperty("process")),
        values.getProperty("version"),
        Instant.parse(values.getProperty("since")),
        values.getProperty("missing"));
  }
}
