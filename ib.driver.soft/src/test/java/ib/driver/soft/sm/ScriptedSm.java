package ib.driver.soft.sm;

import ib.core.mad.MadMethod;
import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Another subnet manager, that says what the test wants. */
final class ScriptedSm implements MadConsumer {
  static final int HANDOVER = 1;
  static final int STANDBY = 2;
  static final int MASTER = 3;
  private static final int SEAT_LID = 0xBFFF;

  private final Fabric fabric;
  private final Subnet subnet;
  final NodePort place;
  final List<String> told = new ArrayList<>();
  int priority;
  int state = STANDBY;
  int status;
  int polls;
  boolean slow; // it answers polls when the test says so
  boolean mute; // and what it is told
  final List<Datagram> unsaid = new ArrayList<>();
  long key;
  private MemorySegment answer = MemorySegment.ofArray(new byte[256]);

  ScriptedSm(Fabric fabric, Subnet subnet, NodePort place, int priority) {
    this.fabric = fabric;
    this.subnet = subnet;
    this.place = place;
    this.priority = priority;
  }

  ScriptedSm come() {
    synchronized (fabric) {
      subnet.add(place, this);
      subnet.foreignManager(place, true);
      subnet.carry();
    }
    return this;
  }

  void go() {
    synchronized (fabric) {
      subnet.remove(place, this);
      subnet.foreignManager(place, false);
      subnet.carry();
    }
  }

  @Override
  public boolean take(NodePort at, Datagram d) {
    if (Smp.ATTRIBUTE_ID.in(d.mad) != SmpAttribute.SM_INFO.id()) {
      return false;
    }
    if (d.response()) {
      answer = d.mad;
      return true;
    }
    MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(d.mad);
    if (Smp.METHOD.in(d.mad) == MadMethod.SET) {
      int modifier = Smp.ATTRIBUTE_MODIFIER.in(d.mad);
      told.add(modifier + " by state " + SmInfo.STATE.in(Smp.data(d.mad)));
      Smp.STATUS.set(reply, status);
      state = modifier == HANDOVER && status == 0 ? MASTER : state;
    }
    Smp.METHOD.set(reply, MadMethod.GET | MadMethod.RESPONSE);
    own(Smp.data(reply), state);
    boolean poll = Smp.METHOD.in(d.mad) == MadMethod.GET;
    polls += poll ? 1 : 0;
    if (poll ? slow : mute) {
      unsaid.add(d.reply(reply));
    } else {
      subnet.send(at, d.reply(reply));
    }
    return true;
  }

  /** Says the first of what it has not said. */
  void speaks() {
    synchronized (fabric) {
      subnet.send(place, unsaid.removeFirst());
      subnet.carry();
    }
  }

  private void own(MemorySegment data, int as) {
    data.fill((byte) 0);
    SmInfo.GUID.set(data, place.guid());
    SmInfo.SM_KEY.set(data, key);
    SmInfo.PRIORITY.set(data, priority);
    SmInfo.STATE.set(data, as);
  }

  /** SubnSet(SMInfo); the status of the answer. */
  int tell(int modifier, int as) {
    ask(MadMethod.SET, modifier, as);
    return Smp.STATUS.in(answer);
  }

  MemorySegment info() {
    ask(MadMethod.GET, 0, state);
    return Smp.data(answer);
  }

  private void ask(int method, int modifier, int as) {
    synchronized (fabric) {
      MemorySegment mad = Datagram.smp(method, SmpAttribute.SM_INFO, 0xA1);
      Smp.ATTRIBUTE_MODIFIER.set(mad, modifier);
      own(Smp.data(mad), as);
      Datagram d = new Datagram(mad);
      d.slid = place.lid();
      d.dlid = SEAT_LID;
      subnet.send(place, d);
      subnet.carry();
    }
  }

  int seen() {
    return SmInfo.STATE.in(info());
  }
}
