package ib.cm;

import java.time.Instant;

/**
 * A connection by address or by service ID that was not made, or that has failed.
 *
 * @param time when it has ended
 * @param owner the program
 * @param device name of the device; empty when no way was found
 * @param what the connection, with the address of the peer
 * @param end of a connection by address as librdmacm says it, for example {@code
 *     RDMA_CM_EVENT_REJECTED, error 8}; of one by service ID for example {@code REJECTED, reason 8}
 * @param why in words
 * @param hint to look at or to try; may be empty
 */
public record CmFailure(
    Instant time, String owner, String device, String what, String end, String why, String hint) {}
