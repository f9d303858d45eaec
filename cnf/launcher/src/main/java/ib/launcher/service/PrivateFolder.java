package ib.launcher.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.jspecify.annotations.Nullable;

/** A folder that only its owner can enter, read and change. */
public final class PrivateFolder {
  private static final String PRIVATE = "rwx------";

  private PrivateFolder() {}

  /**
   * Refuses a folder that other users can enter.
   *
   * @param folder the folder
   * @param user the required owner
   * @param use what may not be in such a folder, for the exception
   * @throws IOException when it is no folder, another user's, or open to others
   */
  public static void require(Path folder, UserPrincipal user, String use) throws IOException {
    String fault = fault(folder, user);
    if (fault != null) {
      throw new IOException(folder + " " + fault + ": " + use + " in no such folder");
    }
  }

  /**
   * Says why a folder is not private.
   *
   * @param folder the folder; a symbolic link is none
   * @param user the required owner
   * @return the reason, or null when only that user can enter it
   * @throws IOException when it cannot be looked at
   */
  public static @Nullable String fault(Path folder, UserPrincipal user) throws IOException {
    PosixFileAttributes is =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String mode = PosixFilePermissions.toString(is.permissions());
    if (!is.isDirectory()) {
      return "is no folder";
    } else if (!is.owner().equals(user)) {
      return "belongs to " + is.owner().getName() + ", not to " + user.getName();
    }
    return mode.equals(PRIVATE) ? null : "has mode " + mode + ", not " + PRIVATE + " (chmod 700)";
  }
}
