package ib.cm.rdma;

import ib.core.verbs.AhAttr;

/**
 * Where the datagrams for a service go: everything that a request to send on a queue pair of type
 * UD needs to know.
 *
 * @param way address vector: make an address handle of it, on the device of the connection
 * @param qpn queue pair of the service, 24 bits
 * @param qkey its Q_Key, 32 bits
 */
public record RdmaDestination(AhAttr way, int qpn, int qkey) {}
