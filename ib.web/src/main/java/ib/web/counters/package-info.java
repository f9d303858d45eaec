/**
 * The counters of all ports, read each second and kept for five minutes. A thread of the sampler
 * reads; threads of the HTTP service draw.
 */
@NullMarked
package ib.web.counters;

import org.jspecify.annotations.NullMarked;
