package ib.core.verbs;

/**
 * Changes to a port (IBA verb Modify HCA).
 *
 * @param setCapMask bits of CapabilityMask to set
 * @param clearCapMask bits of CapabilityMask to clear
 * @param resetQkeyCounter whether to set the Q_Key violation counter to zero
 * @param shutdown whether to take the port down
 */
public record PortModify(
    int setCapMask, int clearCapMask, boolean resetQkeyCounter, boolean shutdown) {}
