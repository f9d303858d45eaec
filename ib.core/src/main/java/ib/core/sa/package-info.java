/**
 * Subnet administration: {@link ib.core.sa.SaClient} asks the subnet administrator for paths,
 * groups, services and more, {@link ib.core.sa.SaMulticast} keeps memberships of multicast groups;
 * the records are codecs for both sides. The layer is the second of all clients (S41).
 *
 * <p>This package has no threads: responses arrive on the serial of the client's agent, see {@code
 * ib.core.mad}. Any thread may call in, also from a callback.
 *
 * <p>Text: IBA vol. 1 chapter 15.
 */
@Version("1.1.0")
@Export
package ib.core.sa;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
