package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event.
 *
 * @param device the device, as the receiver sees it
 * @param type the type
 * @param element the CQ, QP or SRQ of an affiliated event, else null
 * @param port the port of a port event, from 1; the number of lost events for {@link
 *     EventType#EVENT_OVERFLOW}; else 0
 * @param sequence gap-free per device for unaffiliated events, from 1 (D8); 0 for affiliated ones
 * @param timeNs {@link System#nanoTime} at dispatch
 */
public record IbEvent(
    IbDevice device,
    EventType type,
    @Nullable IbObject element,
    int port,
    long sequence,
    long timeNs) {}
