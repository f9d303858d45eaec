/**
 * The OSGi part of drivers: components, and devices as services of the registry. The slots' threads
 * call.
 */
@NullMarked
package ib.driver.base.osgi;

import org.jspecify.annotations.NullMarked;
