package ib.cm;

/**
 * The answer of a datagram service: where to send datagrams. The way is that of the path with which
 * {@link CmPort#resolve} has asked.
 *
 * @param qpn queue pair of the service, 24 bits
 * @param qkey its Q_Key, 32 bits
 * @param privateData of the answer, 136 bytes, with zeros behind what the service wrote (CM-11)
 */
public record CmDatagram(int qpn, int qkey, byte[] privateData) {}
