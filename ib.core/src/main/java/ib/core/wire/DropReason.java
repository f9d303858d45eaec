package ib.core.wire;

import java.util.Locale;

/**
 * Why a packet is dropped because of its bytes alone, before any state is looked at. Each has a
 * counter.
 */
public enum DropReason {
  /** Fewer bytes than its headers take. */
  SHORT,
  /** Not RoCEv2: another Ethertype, IP protocol or UDP port (IBA annex A17). */
  NOT_ROCE,
  /** An IP header with options, of a fragment, or with a wrong checksum or version. */
  IP,
  /** LVer of LRH is not 0 (IBA 7.7.2). */
  LVER,
  /** LNH of LRH announces a raw packet (IBA 7.7.4). */
  LNH,
  /** IPVer of GRH is not 6, or NxtHdr is not the transport's (IBA 8.3). */
  GRH,
  /** The bytes do not amount to what the headers say, or the opcode does not carry that many. */
  LENGTH,
  /** VCRC is wrong (IBA 7.8.2). */
  VCRC,
  /** TVer of BTH is not 0 (IBA 9.2.4). */
  TVER,
  /** Unknown opcode (IBA 9.2.1). */
  OPCODE,
  /** More padding than bytes (IBA 9.2.3). */
  PAD,
  /** ICRC is wrong (IBA 7.8.1). */
  ICRC,
  /** BaseVersion of a MAD is not 1 (IBA 13.4.3). */
  MAD_VERSION;

  private final String counter;

  DropReason() {
    counter = "drop_" + name().toLowerCase(Locale.ROOT);
  }

  /** {@return the name of its counter: drop_short, drop_icrc, …} */
  public String counter() {
    return counter;
  }
}
