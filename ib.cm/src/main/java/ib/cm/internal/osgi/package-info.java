/** The bundle's component. No threads, no locks. */
@NullMarked
package ib.cm.internal.osgi;

import org.jspecify.annotations.NullMarked;
