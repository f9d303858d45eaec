package ib.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;

/**
 * Refuses what a page of another site makes a browser ask of the Web Console. A browser that knows
 * the password adds it to each request, whichever page makes the request; without this filter a
 * foreign page could unplug a device, or install a bundle. A link that a person follows is let
 * through, and so is a program that is no browser.
 */
@Component(
    service = Filter.class,
    property = {
      "osgi.http.whiteboard.filter.pattern=/*",
      "osgi.http.whiteboard.context.select=(osgi.http.whiteboard.context.name=org.apache.felix.webconsole)"
    })
public final class SameSite implements Filter {
  private static final Set<String> SAME = Set.of("same-origin", "none");

  /** The console's own pages have scripts and styles within. */
  private static final String OWN_ONLY =
      "default-src 'self' 'unsafe-inline' 'unsafe-eval'; img-src 'self' data:; frame-ancestors 'none'";

  private static final Set<String> HARMLESS = Set.of("GET", "HEAD");

  /** Called by DS. */
  public SameSite() {}

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest asked
        && response instanceof HttpServletResponse answer) {
      answer.setHeader("X-Frame-Options", "DENY"); // a click on a hidden frame is no order either
      answer.setHeader("Content-Security-Policy", OWN_ONLY);
      if (asked.getMethod().equals("TRACE")) { // it would echo the password
        answer.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
        return;
      }
      if (isForeign(asked)) {
        answer.sendError(HttpServletResponse.SC_FORBIDDEN, "a page of another site has asked");
        return;
      }
    }
    chain.doFilter(request, response);
  }

  /** {@return whether a page of another site has made a browser ask} */
  static boolean isForeign(HttpServletRequest request) {
    boolean harmless = HARMLESS.contains(request.getMethod());
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null) {
      boolean followed = harmless && "navigate".equals(request.getHeader("Sec-Fetch-Mode"));
      return !SAME.contains(site) && !followed;
    }
    // an older browser; its GET cannot be read by the other site
    String origin = request.getHeader("Origin");
    return !harmless && origin != null && !isHost(origin, request.getHeader("Host"));
  }

  private static boolean isHost(String origin, @Nullable String host) {
    try {
      String authority = URI.create(origin).getRawAuthority();
      return authority != null && authority.equals(host);
    } catch (IllegalArgumentException e) { // no address at all, so not this server's
      return false;
    }
  }
}
