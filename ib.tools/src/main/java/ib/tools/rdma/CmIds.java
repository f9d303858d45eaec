package ib.tools.rdma;

import ib.cm.CmClient;
import ib.cm.CmId;
import ib.core.verbs.DeviceInfo;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The connections and listeners by address, which {@code rdma resource} lists as {@code cm_id}. */
final class CmIds {
  private CmIds() {}

  /** {@return those of a device, in the order of their numbers} */
  static List<CmId> of(DeviceInfo device, Collection<CmClient> managers) {
    return managers.stream()
        .flatMap(m -> m.ids().stream())
        .filter(id -> id.device().equals(device.name()))
        .sorted(Comparator.comparingInt(CmId::number))
        .toList();
  }

  /** {@return those of a port as the tool prints them} */
  static Stream<Line> lines(View.Link link, Collection<CmClient> managers) {
    return of(link.device(), managers).stream()
        .filter(id -> id.port() == link.port())
        .map(id -> line(link, id));
  }

  private static Line line(View.Link link, CmId id) {
    Line line = Resource.line(link).put("cm-idn", id.number());
    if (id.qpn() != 0) {
      line.put("lqpn", id.qpn()).put("qp-type", id.type());
    }
    line.put("state", id.state()).put("ps", id.space());
    Resource.owner(line, id.owner());
    end(line, "src", id.source());
    return end(line, "dst", id.destination());
  }

  private static Line end(Line line, String which, @Nullable InetSocketAddress at) {
    String host = at == null ? "0.0.0.0" : at.getAddress().getHostAddress();
    int port = at == null ? 0 : at.getPort();
    line.put(which + "-addr", host, which + "-addr " + host + ":" + port + " ");
    return line.put(which + "-port", (long) port, "");
  }
}
