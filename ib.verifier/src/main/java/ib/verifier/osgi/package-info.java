/**
 * The bundle's entry: a weaving hook for the bundles that use the midlayer, and the way of reports
 * to it.
 *
 * <p>The threads that load classes call the hook, several at a time; what it keeps is in concurrent
 * maps and counters. No locks.
 */
@NullMarked
package ib.verifier.osgi;

import org.jspecify.annotations.NullMarked;
