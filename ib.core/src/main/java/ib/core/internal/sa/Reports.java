package ib.core.internal.sa;

import ib.core.mad.MadMethod;
import ib.core.sa.InformInfo;
import ib.core.sa.InformInfo.Field;
import ib.core.sa.Notice;
import ib.core.verbs.IbException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The port's subscription to one trap (IBA 13.4.11). On the port's queue. */
final class Reports extends Upkeep {
  private static final int ALL = 0xffff;
  private static final int ALL_PRODUCERS = 0xffffff;
  private static final int RESP_TIME = 19; // 2 s, as Linux

  private final int trap;
  private final List<Subscription> subscribers = new ArrayList<>();
  private boolean told;
  private boolean refused;

  Reports(SaPort port, int trap) {
    super(port);
    this.trap = trap;
  }

  void add(Subscription s) {
    subscribers.add(s);
    refused = false;
    if (told) {
      s.confirmed(null);
    }
    step();
  }

  void remove(Subscription s) {
    subscribers.remove(s);
    step();
  }

  void heard(Notice notice) {
    subscribers.forEach(s -> s.heard(notice));
  }

  @Override
  boolean empty() {
    return subscribers.isEmpty() && !told;
  }

  @Override
  @Nullable Step<?> next() {
    boolean wanted = !subscribers.isEmpty();
    return wanted == told || wanted && refused ? null : new Tell(wanted);
  }

  @Override
  void lost(IbException why) {
    told = false;
    refused = false;
  }

  private final class Tell implements Step<InformInfo> {
    private final boolean subscribe;

    Tell(boolean subscribe) {
      this.subscribe = subscribe;
    }

    @Override
    public int method() {
      return MadMethod.SET;
    }

    @Override
    public InformInfo record() {
      return new InformInfo()
          .set(Field.LID_RANGE_BEGIN, ALL)
          .set(Field.IS_GENERIC, 1)
          .set(Field.SUBSCRIBE, subscribe ? 1 : 0)
          .set(Field.TYPE, ALL)
          .set(Field.TRAP_NUMBER, trap)
          .set(Field.QPN, subscribe ? 0 : 1)
          .set(Field.RESP_TIME_VALUE, RESP_TIME)
          .set(Field.PRODUCER_TYPE, ALL_PRODUCERS);
    }

    @Override
    public void done(InformInfo answer) {
      told = subscribe;
      if (subscribe) {
        subscribers.forEach(s -> s.confirmed(null));
      }
    }

    @Override
    public void refused(IbException why) {
      told = false;
      refused = subscribe;
      if (subscribe) {
        subscribers.forEach(s -> s.confirmed(why));
      }
    }

    @Override
    public boolean farewell() {
      return !subscribe;
    }
  }
}
