package ib.core.client;

import ib.core.verbs.ObjectControl.Kind;
import java.util.Map;

/**
 * A live object, as {@code rdma resource} shows it.
 *
 * @param device device name
 * @param kind its kind
 * @param id its number, unique per device and kind
 * @param owner the client
 * @param users how many objects use it
 * @param details what the kind has to tell (qpn, state, entries …), in order
 */
public record ResourceRecord(
    String device, Kind kind, long id, String owner, int users, Map<String, Object> details) {}
