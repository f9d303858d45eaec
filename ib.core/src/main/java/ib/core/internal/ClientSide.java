package ib.core.internal;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.internal.callback.Contract;
import ib.core.internal.hotplug.ClientEntry;
import ib.core.internal.hotplug.Form;
import ib.core.internal.hotplug.Hotplug;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The side of the midlayer that faces clients: clients are registered, bound again and removed
 * here, by their services or by {@link ib.core.client.IbCore}.
 */
public final class ClientSide {
  private final Hotplug hotplug;
  private final Contract contract;

  ClientSide(Hotplug hotplug, Contract contract) {
    this.hotplug = hotplug;
    this.contract = contract;
  }

  /**
   * Reports of a client carry its bundle's name from now on.
   *
   * @param client the client's name
   * @param bundle the symbolic name of its bundle
   */
  public void know(String client, String bundle) {
    contract.know(client, bundle);
  }

  /**
   * Takes a client's name and place; nothing of it is called yet.
   *
   * @param client the client
   * @param name its name
   * @param after names of clients to be added before it (S41)
   * @param rank key of the order of adds, or null for: after all that are there
   * @return the entry, to be attached
   */
  public ClientEntry announce(
      IbClient client, String name, List<String> after, @Nullable Long rank) {
    return hotplug.announce(client, name, after, rank);
  }

  /**
   * Adds a client to all devices (S37).
   *
   * @param client an announced client
   */
  public void attach(ClientEntry client) {
    hotplug.attach(client);
  }

  /**
   * Removes a client whose service goes from all devices (S38, I4); see {@link DeviceSide#remove}.
   *
   * @param client the client
   */
  public void remove(ClientEntry client) {
    if (Contract.inAtomic()) {
      String text = "unregistered in a callback that must not sleep";
      contract.report("S29", client.name(), text, List.of());
      hotplug.unregisterClientQueued(client);
    } else {
      hotplug.unregisterClient(client, Form.RECORD);
    }
  }

  /**
   * Considers a client again where it was rejected (CC-5).
   *
   * @param client the client
   */
  public void rebind(ClientEntry client) {
    hotplug.rebind(client, Form.RECORD);
  }

  /**
   * Changes which clients are added before a client (S41), on devices that come from now on.
   *
   * @param client the client
   * @param names names of the clients
   */
  public void after(ClientEntry client, List<String> names) {
    hotplug.after(client, names);
  }

  /** See {@link ib.core.client.IbCore#registerClient}. */
  ClientRegistration register(IbClient client, String... after) {
    String name = IbInvalidException.given(client, "IbCore.registerClient", "client").name();
    IbInvalidException.given(after, "IbCore.registerClient", "after");
    contract.requireOutside(name, "IbCore", "registerClient");
    ClientEntry entry = announce(client, name, List.of(after), null);
    attach(entry);
    return new ClientRegistration() {
      @Override
      public void unregister() {
        contract.tellInside(name, name, "unregister");
        hotplug.unregisterClient(entry, Form.THROW);
      }

      @Override
      public void rebind() {
        contract.tellInside(name, name, "rebind");
        hotplug.rebind(entry, Form.THROW);
      }
    };
  }
}
