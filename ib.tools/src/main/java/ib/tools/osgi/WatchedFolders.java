package ib.tools.osgi;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/**
 * The folders that fileinstall watches, as they are at each call.
 *
 * @param context of this bundle
 */
record WatchedFolders(BundleContext context) {
  /** Framework property: the folders, with commas between them. */
  private static final String FOLDERS = "felix.fileinstall.dir";

  /** {@return the folders} */
  List<File> all() {
    String folders = context.getProperty(FOLDERS);
    return folders == null
        ? List.of()
        : Arrays.stream(folders.split(",")).map(f -> new File(f.strip())).toList();
  }

  /** {@return the files that are in the folders} */
  Stream<File> files() {
    return all().stream().map(File::listFiles).flatMap(Stream::ofNullable).flatMap(Arrays::stream);
  }

  /** {@return the location that fileinstall gives to the bundle of a file} */
  static String location(File file) {
    return file.toURI().toString();
  }

  /** {@return the jars that are not installed} */
  Stream<File> idleJars() {
    return files()
        .filter(file -> file.getName().endsWith(".jar"))
        .filter(jar -> context.getBundle(location(jar)) == null);
  }

  /** {@return whether a jar can be a bundle and does not run (yet)} */
  boolean isBundleComing() {
    return files().filter(file -> file.getName().endsWith(".jar")).anyMatch(this::isComing);
  }

  private boolean isComing(File jar) {
    Bundle bundle = context.getBundle(location(jar));
    boolean here = bundle != null && bundle.getState() == Bundle.ACTIVE;
    return !here && FileFeedback.isBundle(jar.toPath());
  }
}
