package ib.engine.packet.receive;

import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.wire.MadHeader;
import ib.engine.link.HcaCounter;
import ib.engine.link.Traffic;
import ib.engine.mr.Copier;
import ib.engine.mr.Payload;
import ib.engine.qp.QpCore;
import ib.engine.qp.Responder;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The receiver of datagrams (IBA vol. 1 section 9.8.3). The first 40 bytes of the buffer are the
 * GRH's: always reserved, written when there is one (IBA 11.4.1.2).
 */
public final class DatagramReceiver extends Responder {
  private static final int GRH = WellKnown.GRH_BYTES;
  private static final int NEXT_HEADER_IBA = 0x1B;
  private static final int BTH_DETH_ICRC = 12 + 8 + 4;
  private static final VarHandle BE_INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle BE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Payload header = new Payload();
  private final boolean coalesces;

  public DatagramReceiver(QpCore qp) {
    super(qp);
    coalesces = qp.coalesces();
  }

  @Override
  public boolean run(RunList run) {
    for (Packet p = qp.packets().requests.peek(); p != null; p = qp.packets().requests.peek()) {
      if (run.exhausted()) {
        return true;
      }
      qp.packets().requests.remove();
      try {
        receive(p, run);
        run.spend(p.payload.length());
      } finally {
        p.release(run);
      }
    }
    return false;
  }

  private void receive(Packet p, RunList run) {
    qp.received(p);
    if (!executes()) {
      qp.drop(p, HcaCounter.DROP_QP_STATE);
      return;
    }
    if (!admits(p)) {
      return;
    }
    if (p.qkey != qp.qkey && qp.specialNumber() != 0) { // QP0 has no Q_Key (IBA 10.2.5)
      qp.port().guard().badQkey(p);
      qp.drop(p, HcaCounter.DROP_QKEY);
      return;
    }
    int what = Opcode.what(p.opcode);
    if (what == 0) {
      qp.drop(p, HcaCounter.DROP_OPCODE);
      return;
    }
    if (qp.specialNumber() >= 0 && p.payload.length() != MadHeader.MAD_BYTES) {
      qp.drop(p, HcaCounter.DROP_LENGTH); // else any sender could put QP1 into error (IBA 13.4.2)
      return;
    }
    if (!takeReceive()) {
      noReceive(p);
      return;
    }
    if (p.mss > 0) {
      together(p, run);
      return;
    }
    int length = GRH + p.payload.length();
    if (length > receiveLength()) {
      qp.fail(null);
      complete(run, WcStatus.LOC_LEN_ERR, WcOpcode.RECV, 0, 0, 0, p);
      return;
    }
    boolean global = p.global || qp.port().wire().alwaysGlobal();
    int result = global ? header(p, run) : Copier.OK;
    if (result == Copier.OK) {
      result = Copier.toSges(p.payload, receiveElements(), GRH);
    }
    if (result == Copier.SOURCE) {
      qp.drop(p, HcaCounter.DROP_FAULT);
      p.fault(); // the receive waits for the next one
    } else if (result == Copier.TARGET) {
      qp.fail(null);
      complete(run, WcStatus.LOC_PROT_ERR, WcOpcode.RECV, 0, 0, 0, p);
    } else {
      boolean imm = (what & Opcode.IMM) != 0;
      int flags = (global ? WcFlags.GRH : 0) | immFlag(imm);
      complete(run, WcStatus.SUCCESS, WcOpcode.RECV, length, flags, imm ? p.immData : 0, p);
    }
  }

  /** Gives segments that came as one packet, whole or not at all. */
  private void together(Packet p, RunList run) {
    long each = receiveLength();
    int total = GRH + p.payload.length();
    int more = each <= GRH ? Integer.MAX_VALUE : (int) ((total - 1) / each);
    if (!coalesces || !qp.receives.ready(more)) {
      noReceive(p); // what was taken waits for the next one
      return;
    }
    boolean global = p.global || qp.port().wire().alwaysGlobal();
    int flags = WcFlags.IP_CSUM_OK | (global ? WcFlags.GRH : 0);
    int result = global ? header(p, run) : Copier.OK;
    int done = 0;
    for (int skip = GRH; result == Copier.OK; skip = 0) {
      int bytes = (int) Math.min(receiveLength() - skip, p.payload.length() - done);
      result = Copier.toSges(p.payload, done, bytes, receiveElements(), skip);
      done += bytes;
      boolean last = done == p.payload.length();
      if (result == Copier.OK) {
        int on = last ? 0 : WcFlags.MORE;
        complete(run, WcStatus.SUCCESS, WcOpcode.RECV, skip + bytes, flags | on, 0, p);
      }
      if (last) {
        break;
      }
      if (result == Copier.OK && !takeReceive()) {
        qp.fail(null); // they are not of one length
        return;
      }
    }
    if (result == Copier.SOURCE) {
      qp.drop(p, HcaCounter.DROP_FAULT);
      p.fault();
      complete(run, WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, p); // without IP_CSUM_OK: all is void
    } else if (result == Copier.TARGET) {
      qp.fail(null);
      complete(run, WcStatus.LOC_PROT_ERR, WcOpcode.RECV, 0, 0, 0, p);
    }
  }

  private void noReceive(Packet p) {
    qp.drop(p, HcaCounter.DROP_NO_RECEIVE);
    if (qp.specialNumber() >= 0) {
      Traffic dropped = qp.specialNumber() == 0 ? Traffic.VL15_DROPPED : Traffic.QP1_DROPPED;
      qp.count(dropped, 1);
    }
  }

  private int header(Packet p, RunList run) {
    MemorySegment ready = p.networkHeader;
    header.clear();
    if (ready != null) {
      header.add(ready, 0, GRH);
    } else {
      byte[] b = run.header();
      int imm = (Opcode.what(p.opcode) & Opcode.IMM) != 0 ? 4 : 0;
      int length = BTH_DETH_ICRC + imm + (p.payload.length() + 3 & ~3);
      BE_INT.set(b, 0, 6 << 28 | p.trafficClass << 20 | p.flowLabel);
      BE_INT.set(b, 4, length << 16 | NEXT_HEADER_IBA << 8 | p.hopLimit);
      BE_LONG.set(b, 8, p.sgidHigh);
      BE_LONG.set(b, 16, p.sgidLow);
      BE_LONG.set(b, 24, p.dgidHigh);
      BE_LONG.set(b, 32, p.dgidLow);
      header.add(run.headerSegment(), 0, GRH);
    }
    return Copier.toSges(header, receiveElements(), 0);
  }

  @Override
  public boolean starved() {
    return false;
  }

  @Override
  public boolean refilled() {
    return false;
  }

  @Override
  public boolean lastWord(RunList run) {
    return true;
  }
}
