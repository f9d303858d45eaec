package ib.driver.soft.fabric;

import ib.core.verbs.WellKnown;
import ib.core.wire.MadHeader;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;

/** The owner of the packets that the fabric makes of datagrams; each packet is used once. */
final class MadOwner extends PacketOwner {
  private static final int UD_SEND_ONLY = 0x64;
  private static final int QKEY_GSI = 0x80010000;

  MadOwner() {}

  /** Makes a packet of QP0 or QP1 that carries a datagram. */
  Packet packet(Datagram d) {
    Packet p = new Packet(this);
    p.opcode = UD_SEND_ONLY;
    p.slid = d.slid;
    p.dlid = d.dlid;
    p.sl = d.sl;
    p.destQpn = d.destQpn;
    p.sourceQpn = d.sourceQpn;
    p.pkey = WellKnown.PKEY_DEFAULT_FULL;
    p.qkey = d.destQpn == 0 ? 0 : QKEY_GSI;
    p.psnCount = 1;
    p.payload.add(d.mad, 0, MadHeader.MAD_BYTES);
    return p;
  }

  @Override
  protected void released(Packet packet, RunContext run) {
    packet.free();
  }

  @Override
  protected Packet replicate(Packet original) {
    Packet copy = new Packet(this);
    copy.set(original);
    return copy;
  }
}
