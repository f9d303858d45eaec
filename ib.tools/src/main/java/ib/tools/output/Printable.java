package ib.tools.output;

/** A value that knows how the original prints it. */
public interface Printable {
  /** {@return the text, without the last line's end: the shell adds it} */
  String text();
}
