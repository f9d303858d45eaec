package ib.itests.ulp;

import ib.core.verbs.IbDevice;
import java.util.function.Consumer;

/** Throws in add, after it made something (CC-6). */
final class FailingUlp extends RecordingUlp {
  FailingUlp(String name, Consumer<String> log) {
    super(name, log);
  }

  @Override
  public Object add(IbDevice device) {
    device.allocPd();
    say("add", device);
    throw new IllegalStateException("planned failure of " + name());
  }
}
