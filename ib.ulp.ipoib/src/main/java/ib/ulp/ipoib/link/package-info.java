/**
 * The datagram service of an interface: queue pair, groups, paths, carrier (RFC 4391). Everything
 * here is used on the loop's thread of the interface only, except where a method says otherwise.
 */
@NullMarked
package ib.ulp.ipoib.link;

import org.jspecify.annotations.NullMarked;
