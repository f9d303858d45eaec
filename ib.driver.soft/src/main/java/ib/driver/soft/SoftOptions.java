package ib.driver.soft;

import ib.driver.base.osgi.EngineOptions;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.AttributeType;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/**
 * The form of a device configuration, for tools that show metatype. The reader is {@link
 * ConfigReader}, the numbers are those of {@link ib.driver.base.NumberKey}; a test holds them
 * together. Names become keys by the rules of the metatype specification: {@code $} vanishes, two
 * underscores are one.
 */
@ObjectClassDefinition(
    id = "ib.driver.soft",
    name = "ib soft device",
    description =
        "One software InfiniBand adapter per configuration. link, pkeys, faults and fault_seed change live; a"
            + " change of anything else is an unplug and a plug.")
interface SoftOptions extends EngineOptions {
  /** {@return device name} */
  @AttributeDefinition(
      required = false,
      description =
          "Device name: a letter, then letters, digits, '_', '.', '-', at most 63 characters. Default: the"
              + " name of the configuration, what follows '~' in its PID.")
  String name();

  /** {@return switch name} */
  @AttributeDefinition(
      required = false,
      defaultValue = "ib-sw0",
      description =
          "The switch that all ports are cabled to. Devices on different switches cannot reach each other.")
  String $switch();

  /** {@return number of ports} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1",
      min = "1",
      max = "8",
      description = "Ports of the adapter.")
  int ports();

  /** {@return node GUID} */
  @AttributeDefinition(
      required = false,
      description =
          "Node GUID, an EUI-64 as 16 hex digits such as 02c90300000a0001; port n has the GUID n above it."
              + " Default: derived from the device name, locally administered. A topology that has a"
              + " device of this name says otherwise.")
  String guid();

  /** {@return cables} */
  @AttributeDefinition(
      required = false,
      cardinality = 8,
      defaultValue = "up",
      options = {@Option(label = "up", value = "up"), @Option(label = "down", value = "down")},
      description = "Whether the cable is in, for all ports or one value for each. Changes live.")
  String[] link();

  /** {@return active MTU} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "4096",
      options = {
        @Option(label = "256", value = "256"),
        @Option(label = "512", value = "512"),
        @Option(label = "1024", value = "1024"),
        @Option(label = "2048", value = "2048"),
        @Option(label = "4096", value = "4096")
      },
      description = "Active MTU of all ports, in bytes.")
  int mtu();

  /** {@return P_Key table} */
  @AttributeDefinition(
      required = false,
      cardinality = 128,
      defaultValue = "0xffff",
      description =
          "P_Key table of all ports: 16 bits in hex each, the top bit is full membership. Changes live.")
  String[] pkeys();
}
