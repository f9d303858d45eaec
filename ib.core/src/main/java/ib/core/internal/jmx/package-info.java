/**
 * The counters of a device as a JMX bean ({@code ib:type=Device,name=soft0}): the same registry
 * that {@code perfquery} and {@code rdma statistic} read (D11). The counters are read on the thread
 * that queries the bean server. The bean is registered when the device opens and unregistered when
 * the device is removed, both on the midlayer's one statistics thread: no device waits for JMX.
 *
 * <p>Locks: none. Only the close of the midlayer waits, 5 s at most, for the end of the statistics
 * thread. That wait is not in the wait-for graph.
 */
@NullMarked
package ib.core.internal.jmx;

import org.jspecify.annotations.NullMarked;
