package ib.cm.internal.wire;

/** A datagram after reading: a message, or the reason why it is none. */
public sealed interface Decoded permits CmMessage, CmDrop {}
