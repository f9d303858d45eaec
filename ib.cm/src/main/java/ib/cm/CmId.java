package ib.cm;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection or a listener by address, as {@code rdma resource show cm_id} lists it.
 *
 * @param number of its own in this process, from 1
 * @param device name of the device
 * @param port of the device, from 1
 * @param owner the program
 * @param state as Linux names it: ADDR_RESOLVED, CONNECT, DISCONNECT, DEVICE_REMOVAL or LISTEN
 * @param space port space: TCP, UDP or IB
 * @param type type of the queue pair: RC, UC or UD; of a listener all that it has, as RC,UC
 * @param qpn its number; 0 before it was made, and for a listener
 * @param source address of this side
 * @param destination address of the other side; null for a listener
 */
public record CmId(
    int number,
    String device,
    int port,
    String owner,
    String state,
    String space,
    String type,
    int qpn,
    InetSocketAddress source,
    @Nullable InetSocketAddress destination) {}
