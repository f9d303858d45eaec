package ib.tools;

import ib.tools.output.Printable;
import org.apache.felix.service.command.Converter;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;

/** Lets the shell print a command's value as the original prints it, at the prompt and in pipes. */
@Component(service = Converter.class)
public final class PrintableConverter implements Converter {
  /** Called by DS. */
  public PrintableConverter() {}

  @Override
  public @Nullable Object convert(Class<?> desiredType, Object in) {
    return null; // converts nothing
  }

  @Override
  public @Nullable CharSequence format(Object target, int level, Converter escape) {
    return target instanceof Printable printable ? printable.text() : null;
  }
}
