package ib.driver.rxe;

import ib.driver.base.osgi.EngineOptions;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.AttributeType;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/**
 * The metatype description of a device configuration. {@link RxeReader} reads the values; the
 * numbers are those of {@link ib.driver.base.NumberKey} and {@link RxeReader.Number}, which a test
 * compares. Method names become keys by the rules of the metatype specification: {@code $} is
 * removed, two underscores become one.
 */
@ObjectClassDefinition(
    id = "ib.driver.rxe",
    name = "ib rxe device",
    description =
        "One RoCEv2 adapter per configuration, on addresses of this host. faults and fault_seed"
            + " change while the device runs; any other change unplugs the device and plugs it again.")
interface RxeOptions extends EngineOptions {
  /** {@return device name} */
  @AttributeDefinition(
      required = false,
      description =
          "Device name: a letter, then letters, digits, '_', '.', '-', at most 63 characters."
              + " Default: the name of the configuration, which is the part after '~' in its PID.")
  String name();

  /** {@return addresses} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "IPv4 or IPv6 addresses of this host, each a GID of the device. Either this or interface"
              + " is needed.")
  String[] address();

  /** {@return interface} */
  @AttributeDefinition(
      required = false,
      description =
          "Name of a network interface: the device has all addresses of that interface, and follows"
              + " their changes. Either this or address is needed.")
  String $interface();

  /** {@return node GUID} */
  @AttributeDefinition(
      required = false,
      description =
          "Node GUID, an EUI-64 as 16 hex digits such as 02c90300000a0001. Default: that of the"
              + " interface's Ethernet address, or derived from the device name when there is"
              + " none.")
  String guid();

  /** {@return UDP port} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "4791",
      min = "1",
      max = "65535",
      description =
          "UDP port of this device and of all its peers. The port of RoCEv2 is 4791; other RoCE"
              + " adapters use no other port.")
  int port();

  /** {@return largest MTU} */
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
      description =
          "Largest active MTU in bytes. The active MTU is the largest that leaves 80 bytes of the"
              + " interface's MTU for headers.")
  int mtu();

  /** {@return how packets are sent and received} */
  @AttributeDefinition(
      required = false,
      defaultValue = "auto",
      options = {
        @Option(label = "auto", value = "auto"),
        @Option(label = "native", value = "native"),
        @Option(label = "portable", value = "portable")
      },
      description =
          "How packets are sent and received: native, by system calls of Linux; portable, by Java's"
              + " channels, which accept no IPv6 packets from Linux rxe, and neither set nor show traffic"
              + " class, flow label and hop limit; auto, native where it is available.")
  String io();

  /** {@return whether the system cuts long sends} */
  @AttributeDefinition(
      required = false,
      defaultValue = "auto",
      options = {
        @Option(label = "auto", value = "auto"),
        @Option(label = "on", value = "on"),
        @Option(label = "off", value = "off")
      },
      description =
          "Whether the system cuts a long send into packets (UDP_SEGMENT). This is fast, but peers drop"
              + " the packets if the network card numbers them in another way. auto tests it for each"
              + " peer.")
  String gso();

  /** {@return which thread receives} */
  @AttributeDefinition(
      required = false,
      defaultValue = "thread",
      options = {
        @Option(label = "thread", value = "thread"),
        @Option(label = "poll", value = "poll")
      },
      description =
          "Which thread receives: thread, the device's thread; poll, the thread that polls an empty"
              + " completion queue. With poll, the device's thread takes over 1 ms after the last poll,"
              + " or when a completion queue is armed.")
  String progress();

  /** {@return which IPv4 identifications are accepted} */
  @AttributeDefinition(
      required = false,
      defaultValue = "loose",
      options = {
        @Option(label = "loose", value = "loose"),
        @Option(label = "strict", value = "strict")
      },
      description =
          "A socket does not show the IPv4 identification, so the driver computes it from the ICRC,"
              + " which covers it. loose accepts any identification, so no packet with a correct ICRC is"
              + " dropped. strict accepts only one that follows the peer's last one, as Linux sends"
              + " them; so fewer damaged packets pass.")
  String id__check();

  /** {@return quirks} */
  @AttributeDefinition(
      required = false,
      cardinality = 8,
      description =
          "Deviations from the specification, as in Linux rdma_rxe: flush-icrc, migreq-0, nak-63."
              + " Default: none.")
  String[] quirks();

  /** {@return busy polling} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "0",
      min = "0",
      max = "1000000",
      description =
          "Microseconds that the receiving thread polls for packets before it sleeps. 0: it sleeps at"
              + " once; on a machine with few processors, a value above 0 can delay the consumer thread"
              + " that was just woken.")
  int busy__poll();

  /** {@return socket buffers} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "4194304",
      min = "65536",
      max = "268435456",
      description =
          "Receive and send buffer of each socket in bytes. The system grants at most"
              + " net.core.rmem_max and net.core.wmem_max.")
  int socket__buffer();

  /** {@return source ports} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "64",
      min = "0",
      max = "4096",
      description =
          "How many UDP source ports each address may use beside the well-known one. Each queue pair"
              + " has its own source port, by which routers choose among paths. 0: all packets leave"
              + " from the well-known port.")
  int source__ports();

  /** {@return guard} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1000",
      min = "0",
      max = "1000000",
      description =
          "Packets with wrong keys or sequence numbers that are tolerated from one source within 10 s;"
              + " a source that sends more is muted. 0: never. Source addresses can be forged, so packets"
              + " that fit a connection of a muted source are still accepted, unless wrong rkeys fitted a"
              + " connection, too.")
  int guard__violations();

  /** {@return guard} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "10000",
      min = "0",
      max = "10000000",
      description =
          "Packets to queue pairs that do not exist that are tolerated from one source within 1 s; a"
              + " source that sends more is muted. 0: never.")
  int guard__probes();

  /** {@return guard} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "60",
      min = "1",
      max = "3600",
      description = "How many seconds a source is muted.")
  int guard__mute();

  /** {@return window} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "128",
      min = "2",
      max = "65536",
      description = "Largest number of unacknowledged packets of one queue pair.")
  int window();

  /** {@return P_Key table} */
  @AttributeDefinition(
      required = false,
      cardinality = 128,
      defaultValue = "0xffff",
      description = "P_Key table: 16 bits in hex each; the top bit says full membership.")
  String[] pkeys();
}
