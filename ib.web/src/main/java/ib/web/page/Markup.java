package ib.web.page;

import org.owasp.encoder.Encode;

/**
 * HTML or SVG under construction. Every text and every attribute value is escaped here, so a name
 * that a peer has chosen cannot become markup. For one thread.
 */
public final class Markup {
  private final StringBuilder out = new StringBuilder(1 << 12);

  /** Creates an empty piece of markup. */
  public Markup() {}

  /**
   * Begins an element.
   *
   * @param element name of the element, a constant
   * @param attributes names, which are constants, and values in turn
   * @return this
   */
  public Markup open(String element, Object... attributes) {
    out.append('<').append(element);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      out.append(Encode.forHtmlAttribute(number(attributes[i + 1]))).append('"');
    }
    out.append('>');
    return this;
  }

  /** {@return the text of a value; a coordinate has one digit behind the point} */
  private static String number(Object value) {
    return value instanceof Double d ? Double.toString(Math.round(d * 10) / 10.0) : value + "";
  }

  /**
   * Ends an element.
   *
   * @param element name of the element
   * @return this
   */
  public Markup close(String element) {
    out.append("</").append(element).append('>');
    return this;
  }

  /**
   * Adds a text.
   *
   * @param text the text, as it is to be read
   * @return this
   */
  public Markup text(Object text) {
    out.append(Encode.forHtmlContent(String.valueOf(text)));
    return this;
  }

  /**
   * Adds an element that holds a text.
   *
   * @param element name of the element
   * @param text the text
   * @param attributes names and values in turn
   * @return this
   */
  public Markup element(String element, Object text, Object... attributes) {
    return open(element, attributes).text(text).close(element);
  }

  /**
   * Adds a row of a table.
   *
   * @param cell {@code td} or {@code th}
   * @param texts the cells
   * @return this
   */
  public Markup row(String cell, Object... texts) {
    open("tr");
    for (Object text : texts) {
      element(cell, text);
    }
    return close("tr");
  }

  /**
   * Adds a button that sends an order to the screen.
   *
   * @param act the order
   * @param label text on the button
   * @param data names and values of the order's parameters in turn
   * @return this
   */
  public Markup button(String act, String label, String... data) {
    Object[] attributes = new Object[4 + data.length];
    attributes[0] = "type";
    attributes[1] = "button";
    attributes[2] = "data-act";
    attributes[3] = act;
    for (int i = 0; i < data.length; i += 2) {
      attributes[4 + i] = "data-" + data[i];
      attributes[5 + i] = data[i + 1];
    }
    return element("button", label, attributes);
  }

  /** {@return the markup} */
  @Override
  public String toString() {
    return out.toString();
  }
}
