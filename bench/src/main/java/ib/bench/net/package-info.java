/**
 * Benchmarks over a network: two ends of the same exchange, each in a JVM of its own, of ours and
 * of what users would take instead. {@code bench/rxe} makes the namespaces; the parent JVM tells
 * its children what to do, one thing at a time.
 */
@NullMarked
package ib.bench.net;

import org.jspecify.annotations.NullMarked;
