package ib.core.mad;

import ib.core.verbs.AhAttr;
import org.jspecify.annotations.Nullable;

/**
 * Where a received datagram comes from.
 *
 * @param port the port it arrived on
 * @param local whether it never was on a wire: sent by this very port to itself (M8)
 * @param slid source LID
 * @param sl service level
 * @param srcQp source queue pair
 * @param pkeyIndex index of its P_Key in the port's table
 * @param answer the way back; null when there is none, as without an entry for its GID
 */
public record MadSource(
    int port, boolean local, int slid, int sl, int srcQp, int pkeyIndex, @Nullable AhAttr answer) {}
