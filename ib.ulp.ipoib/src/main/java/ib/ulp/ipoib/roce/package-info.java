/**
 * IP over RoCE: replaces the subnet administrator on a port that has none. This is an extension of
 * this project, for two JVMs: no RFC defines it, and Linux refuses such ports. Every call answers
 * on the caller's thread before it returns; this package has no threads.
 */
@NullMarked
package ib.ulp.ipoib.roce;

import org.jspecify.annotations.NullMarked;
