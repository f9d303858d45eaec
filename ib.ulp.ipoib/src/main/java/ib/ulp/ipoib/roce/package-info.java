/**
 * IP over RoCE: what takes the place of the subnet administrator on a port that has none. An
 * extension of ours, from one JVM to another: no RFC knows it, and Linux refuses such ports.
 * Answers are given at once, on the caller's thread; there are no threads here.
 */
@NullMarked
package ib.ulp.ipoib.roce;

import org.jspecify.annotations.NullMarked;
