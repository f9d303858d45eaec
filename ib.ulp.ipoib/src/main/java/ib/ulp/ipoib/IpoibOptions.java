package ib.ulp.ipoib;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/**
 * The form of the configuration, for tools that show metatype; the reader is {@link IpoibConfig}.
 * Two underscores are one in the key.
 */
@ObjectClassDefinition(
    id = IpoibComponent.PID,
    name = "IP over InfiniBand",
    description =
        "A network interface for each InfiniBand port. Without this configuration there is none; a"
            + " change takes the interfaces down and makes them anew.")
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
          "Where the IP stacks are: in this JVM, or in the kernel behind TAP devices, or behind TUN"
              + " devices, whose addresses are to be given here too.")
  String backend() default "jvm";

  /** {@return buffers to send from} */
  @AttributeDefinition(required = false, min = "64", max = "8192", description = "Send buffers.")
  int send__queue__size() default 512;

  /** {@return buffers to receive into} */
  @AttributeDefinition(required = false, min = "64", max = "8192", description = "Receive buffers.")
  int recv__queue__size() default 2048;

  /** {@return MTU} */
  @AttributeDefinition(
      required = false,
      min = "0",
      max = "65520",
      description =
          "Bytes of the longest packet, at most what the broadcast group has, in connected mode at"
              + " most 65520; 0: that.")
  int mtu() default 0;

  /** {@return how packets go} */
  @AttributeDefinition(
      required = false,
      options = {
        @Option(label = "datagram", value = "datagram"),
        @Option(label = "connected", value = "connected")
      },
      description =
          "Datagrams only, or reliable connections between peers that both have them (RFC 4755).")
  String mode() default "datagram";

  /** {@return the service asked for} */
  @AttributeDefinition(
      required = false,
      options = {@Option(label = "linux", value = "linux"), @Option(label = "rfc", value = "rfc")},
      description =
          "How connected mode spells the service that it asks a peer for: as Linux does, 0x10 in"
              + " the first byte, or as RFC 4755, 0x01. Either one is answered.")
  String service__id() default "linux";

  /** {@return whether RoCE} */
  @AttributeDefinition(
      required = false,
      description =
          "Interfaces for ports of RoCE too: an extension, from one JVM to another. The multicast"
              + " groups of a partition go by 239.27. and its P_Key.")
  boolean roce_enabled() default false;

  /** {@return whether groups of others are left to them} */
  @AttributeDefinition(
      required = false,
      description =
          "Whether multicast groups that another user of the port has joined are left to it: the"
              + " interface does not join them and does not hear them.")
  boolean umcast() default false;

  /** {@return P_Keys} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description = "P_Keys that each port gets a child interface for, such as 0x8001.")
  String[] children() default {};

  /** {@return names} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Which interface is whose, such as 'ib0 soft0/1': port 1 of device soft0 is ib0, whichever"
              + " device comes first. Other ports get the numbers that are left, as they come.")
  String[] interfaces() default {};

  /** {@return addresses} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Addresses of stacks in this JVM or behind TUN devices, such as 'ib0 10.0.0.1/24'.")
  String[] addresses() default {};

  /** {@return routers} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description = "Who gets what is not on the nets of these addresses: 'ib0 10.0.0.254'.")
  String[] gateways() default {};

  /** {@return questions before an IPv6 address is used} */
  @AttributeDefinition(
      required = false,
      min = "0",
      max = "10",
      description =
          "How often an IPv6 address of a stack in this JVM is asked for before it is used (RFC"
              + " 4862); 0: it is used at once.")
  int dad__transmits() default 1;

  /** {@return queues of a device of the kernel} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "16",
      description =
          "Queues of each TAP or TUN device, over which the kernel spreads flows; one thread serves"
              + " them all.")
  int queues() default 1;
}
