/**
 * Upper level protocols that the tests install as real bundles, each with a class loader of its
 * own. They import the exported packages of {@code ib.core} only. Threads: the traffic protocol
 * owns one per device.
 */
package ib.itests.ulp;
