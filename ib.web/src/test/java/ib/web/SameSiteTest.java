package ib.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A page of another site cannot make a browser give orders")
class SameSiteTest {
  private static HttpServletRequest request(String method, Map<String, String> headers) {
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            SameSiteTest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, called, arguments) ->
                switch (called.getName()) {
                  case "getMethod" -> method;
                  case "getHeader" -> headers.get(arguments[0]);
                  default -> throw new UnsupportedOperationException(called.getName());
                });
  }

  @ParameterizedTest(name = "{0} site {1} mode {2} origin {3} is foreign: {4}")
  @CsvSource(
      nullValues = "-",
      value = {
        "POST, same-origin, cors, http://127.0.0.1:8181, false",
        "POST, none, navigate, -, false",
        "POST, cross-site, cors, http://evil.example, true",
        "POST, cross-site, navigate, http://evil.example, true",
        "POST, same-site, cors, http://127.0.0.1:9999, true",
        "GET, cross-site, navigate, -, false",
        "GET, cross-site, no-cors, -, true",
        "GET, same-origin, cors, -, false",
        "POST, -, -, -, false",
        "POST, -, -, http://127.0.0.1:8181, false",
        "POST, -, -, http://127.0.0.1:9999, true",
        "POST, -, -, null, true",
        "POST, -, -, http://[, true",
        "GET, -, -, http://evil.example, false",
        "DELETE, -, -, http://evil.example, true",
      })
  void requests(String method, String site, String mode, String origin, boolean foreign) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Sec-Fetch-Site", site);
    headers.put("Sec-Fetch-Mode", mode);
    headers.put("Origin", origin);
    headers.put("Host", "127.0.0.1:8181");
    assertEquals(foreign, SameSite.isForeign(request(method, headers)));
  }
}
