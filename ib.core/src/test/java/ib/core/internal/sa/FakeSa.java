package ib.core.internal.sa;

import ib.core.mad.Mad;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.InformInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.NodeRecord;
import ib.core.sa.SaRecord;
import ib.core.sa.ServiceRecord;
import ib.core.verbs.IbDevice;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A subnet administrator on the port itself: accepts every request, or answers a set status. */
final class FakeSa implements AutoCloseable {
  static final int MLID = 0xc001;

  final List<String> asked = new CopyOnWriteArrayList<>();
  private final Set<Long> seen = ConcurrentHashMap.newKeySet();
  final MadAgent agent;
  volatile int status;
  final AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);
  volatile boolean silent;
  volatile int tableSize;
  volatile int qkey; // of groups whose request has none

  FakeSa(IbDevice device) {
    agent =
        MadAgent.register(
            device,
            1,
            MadRegistration.sa(MadMethod.GET, MadMethod.SET, MadMethod.GET_TABLE, MadMethod.DELETE),
            (a, r) -> answer(r));
  }

  private void answer(MadReceived r) {
    Mad mad = r.mad();
    int method = mad.header().method();
    if (seen.add(mad.header().transactionId())) { // a repeat is no new question
      asked.add(method + " " + describe(mad));
    }
    if (silent) {
      return;
    }
    if (status != 0 && refusals.getAndDecrement() > 0) {
      agent.reply(r, mad.response(status));
      return;
    }
    Mad response = mad.response(0);
    if (method == MadMethod.GET_TABLE) {
      response.sa().attributeOffset(new NodeRecord().attributeOffset());
      agent.reply(r, response.withData(table()));
    } else {
      agent.reply(r, response.withData(one(mad)));
    }
  }

  private static String describe(Mad mad) {
    return switch (mad.header().attributeId()) {
      case McMemberRecord.ATTRIBUTE_ID ->
          "group "
              + new McMemberRecord().read(mad.data(), 0).value(McMemberRecord.Field.JOIN_STATE);
      case InformInfo.ATTRIBUTE_ID ->
          "inform " + new InformInfo().read(mad.data(), 0).value(InformInfo.Field.SUBSCRIBE);
      default -> String.format("0x%02x", mad.header().attributeId());
    };
  }

  private McMemberRecord member(Mad mad) {
    McMemberRecord record = new McMemberRecord().read(mad.data(), 0);
    int asked = record.value(McMemberRecord.Field.QKEY);
    return record
        .set(McMemberRecord.Field.MLID, MLID)
        .set(McMemberRecord.Field.QKEY, asked == 0 ? qkey : asked);
  }

  private MemorySegment one(Mad mad) {
    SaRecord<?, ?> record =
        switch (mad.header().attributeId()) {
          case McMemberRecord.ATTRIBUTE_ID -> member(mad);
          case ClassPortInfo.ATTRIBUTE_ID ->
              new ClassPortInfo().set(ClassPortInfo.Field.CAPABILITY_MASK2, 1 << 12);
          case InformInfo.ATTRIBUTE_ID -> new InformInfo().read(mad.data(), 0);
          default -> new ServiceRecord().read(mad.data(), 0);
        };
    MemorySegment data = MemorySegment.ofArray(new byte[200]);
    record.write(data, 0);
    return data;
  }

  private MemorySegment table() {
    NodeRecord record = new NodeRecord();
    int stride = record.attributeOffset() * 8;
    MemorySegment data = MemorySegment.ofArray(new byte[stride * tableSize]);
    for (int i = 0; i < tableSize; i++) {
      record.set(NodeRecord.Field.LID, i + 1).write(data, (long) i * stride);
    }
    return data;
  }

  long count(String what) {
    return asked.stream().filter(what::equals).count();
  }

  @Override
  public void close() {
    agent.close();
  }
}
