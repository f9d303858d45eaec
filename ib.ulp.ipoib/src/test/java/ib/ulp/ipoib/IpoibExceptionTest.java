package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IpoibExceptionTest {
  @Test
  @DisplayName("B17: a refusal by the kernel is one sentence in the log, without a stack")
  void sentence() {
    StringWriter log = new StringWriter();
    new IpoibException("ib0", new IOException("/dev/net/tun: Permission denied"))
        .printStackTrace(new PrintWriter(log, true));
    assertEquals(
        "ib.ulp.ipoib.IpoibException: interface ib0: /dev/net/tun: Permission denied (EACCES)."
            + " Try: set backend = jvm\n",
        log.toString());
  }
}
