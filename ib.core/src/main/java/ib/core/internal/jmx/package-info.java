/**
 * The counters of a device as a JMX bean ({@code ib:type=Device,name=soft0}): the same registry
 * that {@code perfquery} and {@code rdma statistic} read (D11). Whoever asks the bean server reads.
 * The device's own port has the bean registered when the device opens, and taken back when it goes,
 * both on the midlayer's one statistics thread: no device waits for JMX.
 */
@NullMarked
package ib.core.internal.jmx;

import org.jspecify.annotations.NullMarked;
