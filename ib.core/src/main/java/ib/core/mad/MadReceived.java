package ib.core.mad;

/**
 * A datagram, or message of several, that has arrived. Its bytes are the receiver's own.
 *
 * @param mad what
 * @param source where from
 */
public record MadReceived(Mad mad, MadSource source) {}
