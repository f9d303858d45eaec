/**
 * The SA layer: requests to the subnet administrator, and memberships and subscriptions that it
 * registers again when the administrator may have lost them. It is client 1 of the core (M1).
 *
 * <p>Registrations run on one serial per port; responses and notices go to the serial of the agent
 * that sent the request. The layer needs no thread and no timer while it has no request to send or
 * cannot reach an administrator.
 *
 * <p>Locks: none. The groups, registrations and requests of a port belong to the thread that is in
 * a run of the port's serial. The closes of sessions and ports wait for the runs of their serials,
 * and enter these waits into the wait-for graph.
 *
 * <p>Text: IBA vol. 1 chapter 15.
 */
package ib.core.internal.sa;
