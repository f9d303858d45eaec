package ib.core.mad;

/** Methods of management datagrams (IBA vol. 1 table 104, 15.2.2), without the response bit. */
public final class MadMethod {
  /** Asks for an attribute; answered by GetResp. */
  public static final int GET = 0x01;

  /** Changes an attribute; answered by GetResp. */
  public static final int SET = 0x02;

  /** Sends, of classes with datagrams of their own (CM). */
  public static final int SEND = 0x03;

  /** Tells a manager of something; not answered, or by TrapRepress. */
  public static final int TRAP = 0x05;

  /** Forwards a trap to a subscriber; answered by ReportResp. */
  public static final int REPORT = 0x06;

  /** Ends the repetition of a trap; not answered. */
  public static final int TRAP_REPRESS = 0x07;

  /** Asks for all matching records; answered by GetTableResp. */
  public static final int GET_TABLE = 0x12;

  /** Asks for a trace; answered by GetTraceTableResp. */
  public static final int GET_TRACE_TABLE = 0x13;

  /** Asks with several records, double-sided; answered by GetMultiResp. */
  public static final int GET_MULTI = 0x14;

  /** Deletes a record; answered by DeleteResp. */
  public static final int DELETE = 0x15;

  /** The bit of a response, in the octet of the wire. */
  public static final int RESPONSE = 0x80;

  private MadMethod() {}
}
