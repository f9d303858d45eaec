package ib.core.mad.cm;

/** Why a datagram is no message of the connection manager; it is dropped and counted. */
public enum CmDrop implements CmDecoded {
  /** Base version other than 1, or class version other than 2. */
  VERSION("another version"),
  /** A method other than Send: messages of the connection manager have no responses (CM-2). */
  METHOD("a method other than Send"),
  /** An attribute that is no message, or SuggestAlternatePath, which no message here allows. */
  ATTRIBUTE("unknown attribute"),
  /** The sender names its connection 0. */
  NO_NAME("the sender's id is 0"),
  /** The path MTU of a REQ is none of 256 to 4096. */
  MTU("the path MTU is none of 256 to 4096"),
  /** The additional information of a REJ or APR, or of a SIDR_REP, is longer than its field. */
  INFO_LENGTH("the additional information is too long");

  private final String text;

  CmDrop(String text) {
    this.text = text;
  }

  /** {@return what is wrong, in words} */
  public String text() {
    return text;
  }
}
