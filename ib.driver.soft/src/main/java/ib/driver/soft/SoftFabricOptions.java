package ib.driver.soft;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.AttributeType;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The form of the fabric's configuration; the reader is {@link SoftFabric}. */
@ObjectClassDefinition(
    id = SoftFabric.PID,
    name = "ib soft fabric",
    description =
        "What is between the software adapters, and who manages it. Changes live; adapters that a"
            + " topology puts elsewhere are unplugged and plugged in there.")
@interface SoftFabricOptions {
  /** {@return port of the door} */
  @AttributeDefinition(
      name = "ibsim.port",
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "0",
      min = "0",
      max = "65471",
      description =
          "UDP port on the loopback interface where management software finds the fabric by ibsim's"
              + " protocol: OpenSM and infiniband-diags with libumad2sim.so,"
              + " IBSIM_SERVER_NAME=127.0.0.1 and IBSIM_SERVER_PORT. Clients have the 64 ports"
              + " above it. 0: no such door.")
  int ibsim_port();

  /** {@return priority of the built-in subnet manager} */
  @AttributeDefinition(
      name = "sm.priority",
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "0",
      min = "0",
      max = "15",
      description =
          "Priority of the built-in subnet manager. With 1 to 15 it and an OpenSM behind the door"
              + " settle by SMInfo who is the master: the higher priority, among equals the lower"
              + " GUID; the other one stands by and takes over when the master falls silent. 0: it"
              + " makes room for any OpenSM at once, and is back when that has gone.")
  int sm_priority();

  /** {@return SM_Key of the built-in subnet manager} */
  @AttributeDefinition(
      name = "sm.key",
      required = false,
      type = AttributeType.PASSWORD,
      defaultValue = "1",
      description =
          "SM_Key of the built-in subnet manager, 64 bits, such as 0x1, which is OpenSM's too. A"
              + " subnet manager that shows another one is not believed: it gets nothing handed"
              + " over, and what it orders is refused. The key is not shown to who asks with"
              + " another one, nor by the subnet administrator. With sm.priority 0, which makes"
              + " room for anybody, it has no effect.")
  String sm_key();

  /** {@return topology file} */
  @AttributeDefinition(
      required = false,
      description =
          "File in ibnetdiscover's format with switches, adapters and their cables. An adapter of"
              + " the file is there when a device of its GUID, or of its description as name, is"
              + " configured, whichever comes first; it has the GUIDs that the file says. What the"
              + " file leaves open is as ibsim has it: GUIDs are counted, links are 4X SDR. LIDs of"
              + " the file are kept. Default: none, adapters are cabled to the switch that they"
              + " name.")
  String topology();
}
