/**
 * The midlayer as an OSGi bundle: service events in, hot-plug operations out (D1), and the
 * EventAdmin as the bus (D8). The only package of the bundle that knows OSGi.
 *
 * <p>Owns no thread: service events arrive on whatever thread registers or unregisters a service,
 * and {@code add} and {@code remove} run there.
 *
 * <p>Locks: {@code ServiceGate} has a monitor on its table of services and one per service; a
 * thread that holds the one of a service may take the leaf of the wait-for graph, to announce it.
 * The monitor of {@code EventAdminBridge} guards which EventAdmin is the bus. No thread gets,
 * registers or unregisters a service while it holds one of them.
 */
package ib.core.internal.osgi;
