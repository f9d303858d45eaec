/**
 * The midlayer as an OSGi bundle: service events in, hot-plug operations out (D1), and the
 * EventAdmin as the bus (D8). The only package of the bundle that knows OSGi.
 *
 * <p>Owns no thread: service events arrive on whatever thread registers or unregisters a service,
 * and {@code add} and {@code remove} run there.
 */
package ib.core.internal.osgi;
