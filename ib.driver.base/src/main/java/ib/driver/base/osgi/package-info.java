/** The OSGi service registry as what devices are announced to. Called by their slots' threads. */
@NullMarked
package ib.driver.base.osgi;

import org.jspecify.annotations.NullMarked;
