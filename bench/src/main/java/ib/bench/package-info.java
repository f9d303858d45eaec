/**
 * Benchmarks inside one JVM, where only ratios count. {@code Windowed} ({@code bench/run}) and
 * {@code Check} ({@code bench/check}) start a JVM for a {@code Group} of {@code Case}s; {@code
 * Windows} lets them alternate there, on one thread or with a {@code Partner}, and {@code Samples}
 * judges what they showed. What runs under JMH ({@code bench/jmh}) is compared with nothing that
 * moves with the machine.
 */
package ib.bench;
