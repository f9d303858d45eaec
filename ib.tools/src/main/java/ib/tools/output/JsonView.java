package ib.tools.output;

import java.util.Map;

/** A value that supplies the members of its JSON object. */
public interface JsonView {
  /** {@return the members, in printing order} */
  Map<String, Object> json();
}
