/**
 * Connections that the host makes: what a driver offers for devices whose QP1 belongs to the host's
 * kernel. A driver implements {@link ib.core.cm.Connector}; {@code ib.cm} calls it, and implements
 * {@link ib.core.cm.ConnectorEvents}. Programs use {@code ib.cm}, on all devices alike.
 *
 * <p>Any thread that may sleep may call. The driver calls events one at a time; an event does not
 * sleep. Nothing here keeps state or has locks.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.core.cm;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
