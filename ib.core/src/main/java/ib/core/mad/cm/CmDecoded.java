package ib.core.mad.cm;

/** A datagram after reading: a message, or the reason why it is none. */
public sealed interface CmDecoded permits CmMessage, CmDrop {}
