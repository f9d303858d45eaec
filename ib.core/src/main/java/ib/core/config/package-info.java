/**
 * Configurations, declared once. A {@link ib.core.config.ConfigKey} is the declaration of one key:
 * its name, what is allowed, the default and the sentences of the manual. A {@link
 * ib.core.config.ConfigSchema} has all keys of one PID. {@link ib.core.config.ConfigValues} reads
 * raw values by these declarations. The metatype file of a bundle and the tables of {@code
 * docs/configuration.md} are written from the same declarations; a test of each bundle compares
 * them.
 *
 * <p>Nothing here has a lock or a thread, or waits. Keys and schemas are immutable and may be
 * shared; a {@code ConfigValues} belongs to the thread that reads one configuration.
 *
 * <p>Text: F25.
 */
@Version("1.0.0")
@Export
package ib.core.config;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
