package ib.core.cm;

/**
 * The starting PSNs of a connection, which the host's connection managers have chosen; 24 bits.
 *
 * @param receive with which the peer begins to send: {@code rqPsn} of this side's queue pair
 * @param send with which this side begins to send: {@code sqPsn}
 */
public record ConnectorPsns(int receive, int send) {}
