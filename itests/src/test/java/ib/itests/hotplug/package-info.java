/**
 * Hot-plug in a real Felix: drivers and protocols are bundles, started, stopped, updated, refreshed
 * and uninstalled. The clauses of hot-plug that plain Java cannot show are proven here. Test
 * threads only.
 */
package ib.itests.hotplug;
