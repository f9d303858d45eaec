package ib.driver.verbs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.driver.verbs.abi.Libibverbs;
import org.jspecify.annotations.Nullable;

/** Loads libibverbs when a device is opened for the first time. */
final class Libraries {
  private final String name;

  @GuardedBy("this")
  private @Nullable Libibverbs library;

  /**
   * Names the library.
   *
   * @param name file name, {@link Libibverbs#NAME} outside of tests
   */
  Libraries(String name) {
    this.name = name;
  }

  /**
   * {@return the library}
   *
   * @throws ib.core.verbs.IbException when the host has none, or one that is too old
   */
  synchronized Libibverbs library() {
    Libibverbs loaded = library;
    if (loaded == null) {
      loaded = Libibverbs.load(name);
      library = loaded;
    }
    return loaded;
  }
}
