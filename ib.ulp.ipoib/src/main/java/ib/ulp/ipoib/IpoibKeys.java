package ib.ulp.ipoib;

import ib.core.config.ConfigKey.Choice;
import ib.core.config.ConfigKey.Text;
import ib.core.config.ConfigKey.Whole;
import ib.core.config.ConfigSchema;
import java.util.List;

/** The keys of the configuration; {@link IpoibConfig} reads them. */
final class IpoibKeys {
  /** Where the IP stacks are. */
  enum Stacks {
    JVM,
    TAP,
    TUN
  }

  private static final int MIN_RING = 64;
  private static final int MAX_RING = 8192;
  private static final int MAX_ENTRIES = 64;

  static final Choice<Stacks> BACKEND =
      Choice.of(
          "backend",
          Stacks.JVM,
          "Where the IP stacks are: jvm, in this JVM; tap, in the kernel behind TAP devices; tun, in"
              + " the kernel behind TUN devices, whose addresses must be set here too.");

  static final Whole SEND_QUEUE_SIZE =
      new Whole(
          "send_queue_size", MIN_RING, 512, MAX_RING, "Number of send buffers of each interface.");

  static final Whole RECV_QUEUE_SIZE =
      new Whole(
          "recv_queue_size",
          MIN_RING,
          2048,
          MAX_RING,
          "Number of receive buffers of each interface.");

  static final Whole MTU =
      new Whole(
          "mtu",
          0,
          0,
          65_520,
          "Longest IP packet in bytes: at most the MTU of the broadcast group, in connected mode at"
              + " most 65520. 0: the largest that is possible.");

  static final Choice<Boolean> MODE =
      new Choice<>(
          "mode",
          Choice.words(List.of(false, true), connected -> connected ? "connected" : "datagram"),
          "datagram",
          0,
          "datagram: unreliable datagrams only. connected: reliable connections between peers that"
              + " both support them (RFC 4755).");

  static final Choice<Boolean> SERVICE_ID =
      new Choice<>(
          "service_id",
          Choice.words(List.of(false, true), rfc -> rfc ? "rfc" : "linux"),
          "linux",
          0,
          "First byte of the service ID in connection requests of connected mode: linux, 0x10 as"
              + " Linux sends it; rfc, 0x01 as RFC 4755 says. Requests with either byte are"
              + " accepted.");

  static final Choice<Boolean> ROCE_ENABLED =
      Choice.flag(
          "roce.enabled",
          false,
          "Whether RoCE ports get interfaces too. This is an extension that only JVMs with ib"
              + " understand. The multicast groups of a partition use the addresses 239.27.x.x, where"
              + " x.x is its P_Key.");

  static final Choice<Boolean> UMCAST =
      Choice.flag(
          "umcast",
          false,
          "Whether multicast groups that another user of the port has joined are left to that user:"
              + " the interface does not join these groups and does not receive their packets.");

  static final Text CHILDREN =
      Text.list(
          "children",
          "",
          MAX_ENTRIES,
          "0x0001 to 0xffff, not 0x8000",
          "P_Keys, such as 0x8001. Each port gets a child interface for each of them.");

  static final Text INTERFACES =
      Text.list(
          "interfaces",
          "",
          MAX_ENTRIES,
          "ib0 soft0/1, each name and each port once",
          "Reserves interface names for ports: 'ib0 soft0/1' reserves ib0 for port 1 of device soft0."
              + " Other ports get the lowest free numbers, in the order in which they appear.");

  static final Text ADDRESSES =
      Text.list(
          "addresses",
          "",
          MAX_ENTRIES,
          "ib0 10.0.0.1/24",
          "Addresses of stacks in this JVM or behind TUN devices, such as 'ib0 10.0.0.1/24'.");

  static final Text GATEWAYS =
      Text.list(
          "gateways",
          "",
          MAX_ENTRIES,
          "ib0 10.0.0.254",
          "Default gateways of stacks in this JVM or behind TUN, such as 'ib0 10.0.0.254'.");

  static final Whole DAD_TRANSMITS =
      new Whole(
          "dad_transmits",
          0,
          1,
          10,
          "How many neighbour solicitations precede the use of an IPv6 address of a stack in this JVM"
              + " (RFC 4862). 0: the address is used at once.");

  static final Whole QUEUES =
      new Whole(
          "queues",
          1,
          1,
          16,
          "Number of queues of each TAP or TUN device, over which the kernel spreads flows. One"
              + " thread serves all of them.");

  /** All keys. */
  static final ConfigSchema SCHEMA =
      new ConfigSchema(
          IpoibComponent.PID,
          false,
          "IP over InfiniBand",
          "Opens a network interface for each InfiniBand port. Without this configuration there are"
              + " no interfaces; a change closes all interfaces and opens them again.",
          List.of(
              BACKEND,
              SEND_QUEUE_SIZE,
              RECV_QUEUE_SIZE,
              MTU,
              MODE,
              SERVICE_ID,
              ROCE_ENABLED,
              UMCAST,
              CHILDREN,
              INTERFACES,
              ADDRESSES,
              GATEWAYS,
              DAD_TRANSMITS,
              QUEUES));

  private IpoibKeys() {}
}
