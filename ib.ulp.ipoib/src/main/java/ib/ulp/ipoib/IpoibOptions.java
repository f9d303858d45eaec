package ib.ulp.ipoib;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/**
 * The metatype description of the configuration; {@link IpoibConfig} reads the values. Two
 * underscores in a method name stand for one in the key.
 */
@ObjectClassDefinition(
    id = IpoibComponent.PID,
    name = "IP over InfiniBand",
    description =
        "Opens a network interface for each InfiniBand port. Without this configuration there are no interfaces;"
            + " a change closes all interfaces and opens them again.")
@interface IpoibOptions {
  /** {@return where the stacks are} */
  @AttributeDefinition(
      required = false,
      options = {
        @Option(label = "jvm", value = "jvm"),
        @Option(label = "tap", value = "tap"),
        @Option(label = "tun", value = "tun")
      },
      description =
          "Where the IP stacks are: jvm, in this JVM; tap, in the kernel behind TAP devices; tun, in the kernel"
              + " behind TUN devices, whose addresses must be set here too.")
  String backend() default "jvm";

  /** {@return the number of send buffers} */
  @AttributeDefinition(
      required = false,
      min = "64",
      max = "8192",
      description = "Number of send buffers of each interface.")
  int send__queue__size() default 512;

  /** {@return the number of receive buffers} */
  @AttributeDefinition(
      required = false,
      min = "64",
      max = "8192",
      description = "Number of receive buffers of each interface.")
  int recv__queue__size() default 2048;

  /** {@return the MTU in bytes} */
  @AttributeDefinition(
      required = false,
      min = "0",
      max = "65520",
      description =
          "Longest IP packet in bytes: at most the MTU of the broadcast group, in connected mode at most 65520."
              + " 0: the largest that is possible.")
  int mtu() default 0;

  /** {@return the mode, datagram or connected} */
  @AttributeDefinition(
      required = false,
      options = {
        @Option(label = "datagram", value = "datagram"),
        @Option(label = "connected", value = "connected")
      },
      description =
          "datagram: unreliable datagrams only. connected: reliable connections between peers that both"
              + " support them (RFC 4755).")
  String mode() default "datagram";

  /** {@return the form of the service ID in connected mode} */
  @AttributeDefinition(
      required = false,
      options = {@Option(label = "linux", value = "linux"), @Option(label = "rfc", value = "rfc")},
      description =
          "First byte of the service ID in connection requests of connected mode: linux, 0x10 as Linux"
              + " sends it; rfc, 0x01 as RFC 4755 says. Requests with either byte are accepted.")
  String service__id() default "linux";

  /** {@return whether RoCE ports get interfaces too} */
  @AttributeDefinition(
      required = false,
      description =
          "Whether RoCE ports get interfaces too. This is an extension that only JVMs with ib understand. The"
              + " multicast groups of a partition use the addresses 239.27.x.x, where x.x is its P_Key.")
  boolean roce_enabled() default false;

  /** {@return whether the interface leaves joined groups to other users of the port} */
  @AttributeDefinition(
      required = false,
      description =
          "Whether multicast groups that another user of the port has joined are left to that user: the"
              + " interface does not join these groups and does not receive their packets.")
  boolean umcast() default false;

  /** {@return the P_Keys of child interfaces} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description = "P_Keys, such as 0x8001. Each port gets a child interface for each of them.")
  String[] children() default {};

  /** {@return the reserved interface names} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Reserves interface names for ports: 'ib0 soft0/1' reserves ib0 for port 1 of device soft0. Other"
              + " ports get the lowest free numbers, in the order in which they appear.")
  String[] interfaces() default {};

  /** {@return the IP addresses} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Addresses of stacks in this JVM or behind TUN devices, such as 'ib0 10.0.0.1/24'.")
  String[] addresses() default {};

  /** {@return the default gateways} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Default gateways of stacks in this JVM or behind TUN, such as 'ib0 10.0.0.254'.")
  String[] gateways() default {};

  /** {@return the number of duplicate address probes} */
  @AttributeDefinition(
      required = false,
      min = "0",
      max = "10",
      description =
          "How many neighbour solicitations precede the use of an IPv6 address of a stack in this JVM (RFC"
              + " 4862). 0: the address is used at once.")
  int dad__transmits() default 1;

  /** {@return the number of queues of a TAP or TUN device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "16",
      description =
          "Number of queues of each TAP or TUN device, over which the kernel spreads flows. One thread"
              + " serves all of them.")
  int queues() default 1;
}
