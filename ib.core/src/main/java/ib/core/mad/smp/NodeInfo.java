package ib.core.mad.smp;

/**
 * The attribute NodeInfo (IBA 14.2.5.3, attribute 0x0011). The modifier is 0; a response describes
 * the port at which the request arrived.
 */
public enum NodeInfo implements MadField {
  /** Version of the MAD header, 1. */
  BASE_VERSION("BaseVers", 0, 8),
  /** Version of the class, 1. */
  CLASS_VERSION("ClassVers", 8, 8),
  /** 1 channel adapter, 2 switch, 3 router. */
  NODE_TYPE("NodeType", 16, 8),
  /** Physical ports. */
  NUM_PORTS("NumPorts", 24, 8),
  /** GUID of what the node is a part of. */
  SYSTEM_IMAGE_GUID("SystemGuid", 32, 64),
  /** GUID of the node. */
  NODE_GUID("Guid", 96, 64),
  /** GUID of the port; of a switch that of its port 0. */
  PORT_GUID("PortGuid", 160, 64),
  /** Entries of the P_Key table of each adapter port, or of a switch's management port. */
  PARTITION_CAP("PartCap", 224, 16),
  /** Product number of the vendor. */
  DEVICE_ID("DevId", 240, 16),
  /** Revision of the product. */
  REVISION("Revision", 256, 32),
  /** The port that the question arrived at. */
  LOCAL_PORT_NUM("LocalPort", 288, 8),
  /** IEEE company number. */
  VENDOR_ID("VendorId", 296, 24);

  private final Row row;

  NodeInfo(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
