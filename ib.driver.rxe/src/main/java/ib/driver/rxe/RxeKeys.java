package ib.driver.rxe;

import ib.core.config.ConfigKey;
import ib.core.config.ConfigKey.Choice;
import ib.core.config.ConfigKey.Text;
import ib.core.config.ConfigKey.Whole;
import ib.core.config.ConfigSchema;
import ib.core.verbs.Mtu;
import ib.driver.base.DeviceKeys;
import ib.driver.rxe.udp.Quirk;
import ib.driver.rxe.udp.UdpOptions;
import java.util.List;

/** The keys of a device configuration; {@link RxeReader} reads them. */
final class RxeKeys {
  static final Text ADDRESS =
      Text.list(
          "address",
          "",
          64,
          "IPv4 or IPv6 addresses of this host, comma separated; or else interface: its name, for"
              + " all addresses that it has",
          "Addresses of this host, each a GID of the device. Either this or interface is needed.");

  static final Text INTERFACE =
      Text.of(
          "interface",
          "the name of a network interface such as eth0",
          "Network interface: the device has all addresses of that interface, and follows their"
              + " changes. Either this or address is needed.");

  static final Choice<Mtu> MTU =
      DeviceKeys.mtu(
          "Largest active MTU in bytes. The active MTU is the largest that leaves 80 bytes of the"
              + " interface's MTU for headers.");

  static final Text PKEYS =
      DeviceKeys.pkeys("P_Key table: 16 bits each; the top bit says full membership.");

  static final Whole PORT =
      new Whole(
          "port",
          1,
          UdpOptions.ROCE_PORT,
          65_535,
          "UDP port of this device and of all its peers. The port of RoCEv2 is 4791; other RoCE"
              + " adapters use no other port.");

  static final Choice<UdpOptions.Path> IO =
      Choice.of(
          "io",
          UdpOptions.Path.AUTO,
          "How packets are sent and received: native, by system calls of Linux; portable, by Java's"
              + " channels, which accept no IPv6 packets from Linux rxe, and neither set nor show"
              + " traffic class, flow label and hop limit; auto, native where it is available.");

  static final Choice<UdpOptions.Gso> GSO =
      Choice.of(
          "gso",
          UdpOptions.Gso.AUTO,
          "Whether the system cuts a long send into packets (UDP_SEGMENT). This is fast, but peers"
              + " drop the packets if the network card numbers them in another way. auto tests it for"
              + " each peer.");

  static final Choice<UdpOptions.Progress> PROGRESS =
      Choice.of(
          "progress",
          UdpOptions.Progress.POLL,
          "Which thread receives: poll, the thread that polls an empty completion queue; thread, the"
              + " device's thread. With poll, the device's thread takes over 1 ms after the last"
              + " poll, or when a completion queue is armed; it stays in charge while consumers poll"
              + " a few times only between two sleeps. When packets wait then, because a consumer waits"
              + " for something else, it stays in charge for 2 ms, and up to 256 ms when that goes on.");

  static final Choice<UdpOptions.IdCheck> ID_CHECK =
      Choice.of(
          "id_check",
          UdpOptions.IdCheck.LOOSE,
          "A socket does not show the IPv4 identification, so the driver computes it from the ICRC,"
              + " which covers it. loose accepts any identification, so no packet with a correct ICRC"
              + " is dropped. strict accepts only one that follows the peer's last one, as Linux sends"
              + " them; so fewer damaged packets pass.");

  static final Choice<UdpOptions.Local> LOCAL =
      Choice.of(
          "local",
          UdpOptions.Local.MEMORY,
          "How packets reach other devices of this JVM: memory, handed over without the system, at"
              + " the speed of memory; firewalls and Wireshark on the host do not see them. While one"
              + " of the two devices is captured or has faults, and with wire always, they are"
              + " datagrams.");

  static final Choice<Quirk> QUIRKS =
      new Choice<>(
          "quirks",
          Choice.words(List.of(Quirk.values()), Quirk::word),
          "",
          8,
          "Deviations from the specification, as in Linux rdma_rxe. Default: none.");

  static final Whole BUSY_POLL =
      new Whole(
          "busy_poll",
          0,
          0,
          1_000_000,
          "Microseconds that the receiving thread polls for packets before it sleeps. 0: it sleeps at"
              + " once; on a machine with few processors, a value above 0 can delay the consumer"
              + " thread that was just woken.");

  static final Whole SOCKET_BUFFER =
      new Whole(
          "socket_buffer",
          65_536,
          4_194_304,
          268_435_456,
          "Receive and send buffer of each socket in bytes. The system grants at most"
              + " net.core.rmem_max and net.core.wmem_max.");

  static final Whole SOURCE_PORTS =
      new Whole(
          "source_ports",
          0,
          64,
          4096,
          "How many UDP source ports each address may use beside the well-known one. Each queue pair"
              + " has its own source port, by which routers choose among paths. 0: all packets leave"
              + " from the well-known port.");

  static final Whole GUARD_VIOLATIONS =
      new Whole(
          "guard_violations",
          0,
          1000,
          1_000_000,
          "Packets with wrong keys or sequence numbers that are tolerated from one source within"
              + " 10 s; a source that sends more is muted. 0: never. Source addresses can be forged, so"
              + " packets that fit a connection of a muted source are still accepted, unless wrong"
              + " rkeys fitted a connection, too.");

  static final Whole GUARD_PROBES =
      new Whole(
          "guard_probes",
          0,
          10_000,
          10_000_000,
          "Packets to queue pairs that do not exist that are tolerated from one source within 1 s; a"
              + " source that sends more is muted. 0: never.");

  static final Whole GUARD_MUTE =
      new Whole("guard_mute", 1, 60, 3600, "How many seconds a source is muted.");

  static final Whole WINDOW =
      new Whole(
          "window", 2, 128, 65_536, "Largest number of unacknowledged packets of one queue pair.");

  static final ConfigKey NODE_GUID =
      DeviceKeys.guid(
          "Node GUID. Default: that of the interface's Ethernet address, or derived from the device"
              + " name, its addresses and its port when there is none.");

  /** All keys of a device. */
  static final ConfigSchema SCHEMA =
      new ConfigSchema(
          RxeDriver.PID,
          true,
          "ib rxe device",
          "One RoCEv2 adapter per configuration, on addresses of this host. faults and fault_seed"
              + " change while the device runs; any other change unplugs the device and plugs it"
              + " again.",
          DeviceKeys.with(
              ADDRESS,
              INTERFACE,
              NODE_GUID,
              PORT,
              MTU,
              PKEYS,
              WINDOW,
              IO,
              GSO,
              PROGRESS,
              ID_CHECK,
              LOCAL,
              QUIRKS,
              BUSY_POLL,
              SOCKET_BUFFER,
              SOURCE_PORTS,
              GUARD_VIOLATIONS,
              GUARD_PROBES,
              GUARD_MUTE));

  private RxeKeys() {}
}
