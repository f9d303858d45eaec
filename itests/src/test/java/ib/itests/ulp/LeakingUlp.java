package ib.itests.ulp;

import ib.core.verbs.IbDevice;
import java.util.function.Consumer;

/** Leaves a protection domain behind (CC-20). */
final class LeakingUlp extends RecordingUlp {
  LeakingUlp(String name, Consumer<String> log) {
    super(name, log);
  }

  @Override
  public Object add(IbDevice device) {
    device.allocPd();
    say("add", device);
    return device;
  }

  @Override
  public void remove(IbDevice device, Object clientData) {
    say("remove", device);
  }
}
