/**
 * The counters of a device as a JMX bean ({@code ib:type=Device,name=soft0}): the same registry
 * that {@code perfquery} and {@code rdma statistic} read (D11). No threads; whoever asks the bean
 * server reads. The device's own port registers the bean when the device opens, and takes it back
 * when it goes, so that nothing of a driver stays referred to.
 */
@NullMarked
package ib.core.internal.jmx;

import org.jspecify.annotations.NullMarked;
