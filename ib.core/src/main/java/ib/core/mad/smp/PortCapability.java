package ib.core.mad.smp;

/** Bits of PortInfo CapabilityMask (IBA table 146), those that software asks about. */
public enum PortCapability {
  /** A subnet manager runs here. */
  IS_SM(1),
  /** Sends notices. */
  IS_NOTICE_SUPPORTED(2),
  /** Sends traps. */
  IS_TRAP_SUPPORTED(3),
  /** Has a map from service level to virtual lane. */
  IS_SL_MAPPING_SUPPORTED(6),
  /** Has a system image GUID. */
  IS_SYSTEM_IMAGE_GUID_SUPPORTED(11),
  /** Has extended link speeds. */
  IS_EXTENDED_SPEEDS_SUPPORTED(14),
  /** Has {@link PortInfo#CAPABILITY_MASK_2}. */
  IS_CAPABILITY_MASK_2_SUPPORTED(15),
  /** A communication manager answers. */
  IS_CM_SUPPORTED(16),
  /** Answers MADs of a vendor class. */
  IS_VENDOR_CLASS_SUPPORTED(20),
  /** Tells of changes of this mask by trap 144. */
  IS_CAPABILITY_MASK_NOTICE_SUPPORTED(22),
  /** Knows ClientReregister: only then a subnet manager sets it. */
  IS_CLIENT_REREGISTRATION_SUPPORTED(25);

  private final int bit;

  PortCapability(int bit) {
    this.bit = bit;
  }

  /** {@return the bit of the mask, 32 bits} */
  public int mask() {
    return 1 << bit;
  }
}
