package ib.core.verbs;

/**
 * The identity of a device, which a client reads before it decides to use the device.
 *
 * @param name the device name, for example {@code soft0}; unique in the midlayer
 * @param index the number that the device got at registration, from 0; never used again
 * @param nodeType kind of node
 * @param nodeGuid GUID of the node
 * @param sysImageGuid GUID of the system; the node's own if there is none
 * @param portCount number of ports, 1 to 255 (ports count from 1)
 * @param driver symbolic name of the driver, for example {@code ib.driver.soft}
 */
public record DeviceInfo(
    String name,
    int index,
    NodeType nodeType,
    long nodeGuid,
    long sysImageGuid,
    int portCount,
    String driver) {}
