/**
 * The methods that woven code calls. The package is exported so that woven bundles find it: the
 * hook adds it to the packages that they import. No bundle calls it by itself.
 *
 * <p>No threads and no locks: the calls run on the threads of the code that is watched.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.verifier.probe;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
