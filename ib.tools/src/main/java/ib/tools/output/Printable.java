package ib.tools.output;

/** A value with the text that the original command prints for it. */
public interface Printable {
  /** {@return the text, without the last line's end: the shell adds it} */
  String text();
}
