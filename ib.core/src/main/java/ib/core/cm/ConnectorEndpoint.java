package ib.core.cm;

/**
 * A queue pair as one side describes it to the other.
 *
 * @param qpn number, 24 bits
 * @param responderResources reads and atomics that its side serves at once, 0 to 255
 * @param initiatorDepth reads and atomics that its side will have outstanding, 0 to 255
 * @param rnrRetry RNR retries that the other queue pair is to make, 0 to 7; 7 is for ever
 * @param srq whether it has a shared receive queue
 */
public record ConnectorEndpoint(
    int qpn, int responderResources, int initiatorDepth, int rnrRetry, boolean srq) {}
