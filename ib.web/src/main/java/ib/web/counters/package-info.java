/**
 * The counters of all ports, read each second and kept for five minutes. A thread of the sampler
 * reads; threads of the HTTP service draw.
 *
 * <p>Locks: the monitor of {@code Sampler} guards the series; no lock is held while counters are
 * read.
 */
@NullMarked
package ib.web.counters;

import org.jspecify.annotations.NullMarked;
