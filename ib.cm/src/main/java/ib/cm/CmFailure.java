package ib.cm;

import java.time.Instant;

/**
 * A connection by address that was not made, or that has failed.
 *
 * @param time when it has ended
 * @param owner the program
 * @param device name of the device; empty when no way was found
 * @param what the connection, with the address of the peer
 * @param end as librdmacm says it, for example {@code RDMA_CM_EVENT_REJECTED, error 8}
 * @param why in words
 * @param hint to look at or to try; may be empty
 */
public record CmFailure(
    Instant time, String owner, String device, String what, String end, String why, String hint) {}
