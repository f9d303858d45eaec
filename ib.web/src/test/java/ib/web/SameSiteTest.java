package ib.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
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

  @Test
  @DisplayName("A17: TRACE, which echoes the password, is refused; a page takes its own parts only")
  void headers() throws Exception {
    Map<String, String> answer = new HashMap<>();
    HttpServletResponse response =
        (HttpServletResponse)
            Proxy.newProxyInstance(
                SameSiteTest.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, called, arguments) ->
                    answer.put(
                        called.getName().equals("sendError") ? "error" : arguments[0].toString(),
                        arguments[arguments.length - 1].toString()));
    new SameSite().doFilter(request("GET", Map.of()), response, (a, b) -> answer.put("went", "on"));
    assertEquals("on", answer.get("went"));
    assertTrue(answer.get("Content-Security-Policy").startsWith("default-src 'self'"));
    answer.clear();
    new SameSite()
        .doFilter(request("TRACE", Map.of()), response, (a, b) -> answer.put("went", "on"));
    assertEquals("405", answer.get("error"));
    assertNull(answer.get("went"));
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
