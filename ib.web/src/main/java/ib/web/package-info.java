/**
 * A page of the Felix Web Console: the topology, counters, events, packets, faults, queue pairs and
 * the contract. The server draws everything; the browser shows it and sends orders. The classes of
 * this package are the services; threads of the HTTP service call them.
 */
@NullMarked
package ib.web;

import org.jspecify.annotations.NullMarked;
