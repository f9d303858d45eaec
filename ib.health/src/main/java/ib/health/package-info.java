/**
 * How InfiniBand devices and the midlayer are doing: {@link ib.health.Health} is a service that
 * looks at everything that can be wrong and writes metrics. The bundle also registers a Felix
 * health check for each check, with the tag {@code ib}, and a condition for each active port.
 */
@Version("1.1.0")
@Export
@NullMarked
package ib.health;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
