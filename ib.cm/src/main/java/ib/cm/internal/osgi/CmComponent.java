package ib.cm.internal.osgi;

import ib.cm.CmClient;
import ib.cm.internal.port.Devices;
import ib.core.client.IbClient;
import org.osgi.service.component.annotations.Component;

/** The connection manager as a service, and as a client of the core. */
@Component(
    name = CmClient.NAME,
    service = {CmClient.class, IbClient.class})
public final class CmComponent extends Devices {}
