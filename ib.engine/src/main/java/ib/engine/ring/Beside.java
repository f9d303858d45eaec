package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/** The objects of send requests, one place for each request. */
final class Beside {
  final @Nullable Cqe[] cqes;
  final @Nullable Route[] routes;
  final @Nullable LargeHeader[] headers;

  Beside(int slots) {
    cqes = new @Nullable Cqe[slots];
    routes = new @Nullable Route[slots];
    headers = new @Nullable LargeHeader[slots];
  }

  /** {@return whether a request has a route or a header} */
  boolean isDatagram(int i) {
    return routes[i] != null || headers[i] != null;
  }

  /** Takes the route of another request, and exchanges the headers: packets may refer to ours. */
  void take(int i, Beside from, int f) {
    LargeHeader ours = headers[i];
    routes[i] = from.routes[f];
    headers[i] = from.headers[f];
    from.headers[f] = ours;
  }
}
