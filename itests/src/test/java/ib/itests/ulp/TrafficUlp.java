package ib.itests.ulp;

import ib.core.verbs.IbDevice;
import java.util.function.Consumer;

/**
 * Keeps eight queue pairs of a device busy until it is removed, then accounts for every request:
 * one completion each, no more, no less (F15, F16).
 */
final class TrafficUlp extends RecordingUlp {
  TrafficUlp(String name, Consumer<String> log) {
    super(name, log);
  }

  @Override
  public Object add(IbDevice device) {
    Traffic traffic = new Traffic(device);
    traffic.start();
    say("add", device);
    return traffic;
  }

  @Override
  public void remove(IbDevice device, Object clientData) {
    Traffic traffic = (Traffic) clientData;
    String account = traffic.stop();
    log().accept("account " + name() + " " + device.name() + " " + account);
    say("remove", device);
  }
}
