/**
 * What an upper level protocol (ULP) is to the midlayer: an {@link ib.core.client.IbClient}, told
 * of all devices in the order in which clients registered and of their removal in reverse (S39,
 * S40); and {@link ib.core.client.IbCore}, the service through which tools look at devices, clients
 * and objects.
 *
 * <p>No thread is owned here. {@code add} and {@code remove} run on whatever thread brought the
 * change about, with no lock of the core held (I5), one at a time per device.
 *
 * <p>Texts: the kernel's "InfiniBand Midlayer Locking", Roland Dreier's mail of 2004-09-10.
 */
@Version("1.0.0")
@Export
package ib.core.client;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
