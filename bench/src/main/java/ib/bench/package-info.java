/**
 * Benchmarks: the soft device beside the raw limits of the machine, in one run, so that only ratios
 * count (performance.md, G1-G5). Threads: JMH's one measuring thread, and an echo or consumer
 * thread per trial.
 */
package ib.bench;
