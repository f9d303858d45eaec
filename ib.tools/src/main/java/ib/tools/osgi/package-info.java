/** Says what has become of the files that a person puts into {@code deploy/} and {@code conf/}. */
@NullMarked
package ib.tools.osgi;

import org.jspecify.annotations.NullMarked;
