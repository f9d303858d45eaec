package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IpoibExceptionTest {
  @Test
  @DisplayName("B17: a kernel that refuses is a sentence in the log, not a stack")
  void sentence() {
    StringWriter log = new StringWriter();
    new IpoibException("ib0", new IOException("/dev/net/tun: Permission denied"))
        .printStackTrace(new PrintWriter(log, true));
    assertEquals(
        "ib.ulp.ipoib.IpoibException: interface ib0: /dev/net/tun: Permission denied (EACCES)."
            + " Try: backend = jvm\n",
        log.toString());
  }
}
