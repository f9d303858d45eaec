package ib.driver.soft;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.PortInfo;
import ib.core.sa.SaRecord;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.topology.NodePort;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Asks the subnet administrator from a port, as software of that node. */
final class SaProbe implements MadConsumer, AutoCloseable {
  private static final long TAG = 0xA000L << 48;
  private static final int SA_VERSION = 2;

  private final Fabric fabric;
  private final FabricPort port;
  private final Map<Long, Mad> answers = new ConcurrentHashMap<>();
  final Map<Integer, Mad> reports = new ConcurrentHashMap<>();
  private final AtomicLong last = new AtomicLong(TAG);

  SaProbe(Fabric fabric, FabricPort port) {
    this.fabric = fabric;
    this.port = port;
    synchronized (fabric) {
      port.subnet().add(port.place(), this);
    }
  }

  @Override
  public boolean take(NodePort at, Datagram d) {
    Mad mad = Mad.of(d.mad);
    if (mad.header().mgmtClass() != MgmtClass.SUBN_ADM) {
      return false;
    }
    if (mad.header().response() && (mad.header().transactionId() & 0xffffL << 48) == TAG) {
      answers.put(mad.header().transactionId(), mad);
      return true;
    }
    if (!mad.header().response() && mad.header().method() == MadMethod.REPORT) {
      reports.put((int) ib.core.mad.smp.MadField.read(mad.data(), 32, 16), mad);
      return true;
    }
    return false;
  }

  FabricPort port() {
    return port;
  }

  /** Asks once and waits for the answer, 30 s at the most. */
  Mad ask(int method, SaRecord<?, ?> record) {
    long tid = last.incrementAndGet();
    Mad mad = Mad.request(MgmtClass.SUBN_ADM, SA_VERSION, method, record.attributeId(), 0);
    mad.header().transactionId(tid);
    mad.sa().componentMask(record.componentMask());
    record.write(mad.bytes(), mad.dataOffset());
    synchronized (fabric) {
      Datagram d = new Datagram(mad.bytes());
      d.slid = port.lid();
      d.dlid = PortInfo.SM_LID.in(port.place().info());
      d.sourceQpn = 1;
      d.destQpn = 1;
      port.subnet().send(port.place(), d);
      port.subnet().carry();
    }
    OpensmTest.await("an answer to " + mad, () -> answers.containsKey(tid));
    return answers.remove(tid);
  }

  @Override
  public void close() {
    synchronized (fabric) {
      port.subnet().remove(port.place(), this);
    }
  }
}
