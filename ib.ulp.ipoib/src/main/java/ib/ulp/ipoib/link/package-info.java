/**
 * The datagram service of an interface: queue pair, groups, paths, carrier (RFC 4391). Everything
 * here is touched by the loop of the interface alone, but for what says otherwise.
 */
@NullMarked
package ib.ulp.ipoib.link;

import org.jspecify.annotations.NullMarked;
