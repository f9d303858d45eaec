package ib.cm.internal.wire;

/** Why a datagram is no message of the connection manager; it is dropped and counted. */
public enum CmDrop implements Decoded {
  /** Base version other than 1, or class version other than 2. */
  VERSION,
  /** A method other than Send: messages of the connection manager have no responses (CM-2). */
  METHOD,
  /** An attribute that is no message, or SuggestAlternatePath, which no message here allows. */
  ATTRIBUTE,
  /** The sender names its connection 0. */
  NO_NAME,
  /** The path MTU of a REQ is none of 256 to 4096. */
  MTU,
  /** The additional information of a REJ or APR, or of a SIDR_REP, is longer than its field. */
  INFO_LENGTH
}
