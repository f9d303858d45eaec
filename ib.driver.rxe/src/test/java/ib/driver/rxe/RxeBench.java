package ib.driver.rxe;

import ib.core.client.IbCore;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Limit;
import ib.driver.base.NumberKey;
import ib.kit.Bench;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two devices on loopback, as the compatibility suite wants them. */
final class RxeBench implements Bench {
  private final RxeLab lab = new RxeLab();

  /**
   * Makes it.
   *
   * @param limits smaller ones
   * @param values further keys of both devices, each with its value
   */
  RxeBench(Map<Limit, Long> limits, Object... values) {
    int last = 1;
    for (String name : devices()) {
      List<Object> keys = new ArrayList<>(List.of("address", "127.0.0." + last++));
      keys.addAll(List.of(values));
      for (NumberKey key : NumberKey.values()) {
        Long value = key.limit() == null ? null : limits.get(key.limit());
        if (value != null) {
          keys.add(key.key());
          keys.add(value.intValue());
        }
      }
      lab.configure(name, keys.toArray());
    }
  }

  @Override
  public IbCore core() {
    return lab.midlayer.core();
  }

  @Override
  public List<String> devices() {
    return List.of("rxe0", "rxe1");
  }

  @Override
  public void unplug(String device) {
    lab.slot(device).unplug();
  }

  @Override
  public void plug(String device) {
    lab.slot(device).plug();
  }

  @Override
  public AhAttr group() {
    return AhAttr.ofGid(1, GlobalRoute.to(Gid.parse("::ffff:239.1.2.3"), 0));
  }

  @Override
  public void close() {
    lab.close();
  }
}
