/**
 * The interface of the midlayer for upper level protocols (ULPs) and tools. A ULP is an {@link
 * ib.core.client.IbClient}: the core calls the {@code add} of all clients for each device in the
 * order in which they registered, and their {@code remove} in reverse order (S39, S40). Tools look
 * at devices, clients and objects by the service {@link ib.core.client.IbCore}.
 *
 * <p>This package has no threads. {@code add} and {@code remove} run on the thread that caused the
 * change, with no lock of the core held (I5), one at a time per device.
 *
 * <p>Texts: the kernel's "InfiniBand Midlayer Locking", Roland Dreier's mail of 2004-09-10.
 */
@Version("1.0.0")
@Export
package ib.core.client;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
