package ib.driver.rxe;

import ib.driver.base.osgi.EngineOptions;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.AttributeType;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/**
 * The form of a device configuration, for tools that show metatype. The reader is {@link
 * RxeReader}, the numbers are those of {@link ib.driver.base.NumberKey} and {@link
 * RxeReader.Number}; a test holds them together. Names become keys by the rules of the metatype
 * specification: {@code $} vanishes, two underscores are one.
 */
@ObjectClassDefinition(
    id = "ib.driver.rxe",
    name = "ib rxe device",
    description =
        "One RoCEv2 adapter per configuration, on addresses of this host. faults and fault_seed"
            + " change live; a change of anything else is an unplug and a plug.")
interface RxeOptions extends EngineOptions {
  /** {@return device name} */
  @AttributeDefinition(
      required = false,
      description =
          "Device name: a letter, then letters, digits, '_', '.', '-', at most 63 characters."
              + " Default: the name of the configuration, what follows '~' in its PID.")
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
          "Name of a network interface: the device has all addresses that it has, and follows it as"
              + " they come and go. Either this or address is needed.")
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
          "UDP port of this device and of all its peers. RoCEv2 is 4791; nobody else speaks"
              + " another.")
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
          "The active MTU is this at most, in bytes, and the largest that leaves 80 bytes of the"
              + " interface's MTU.")
  int mtu();

  /** {@return what does the work} */
  @AttributeDefinition(
      required = false,
      defaultValue = "auto",
      options = {
        @Option(label = "auto", value = "auto"),
        @Option(label = "native", value = "native"),
        @Option(label = "portable", value = "portable")
      },
      description =
          "What sends and receives: system calls of Linux (native), or only what every Java has"
              + " (portable), which takes no IPv6 from Linux rxe and neither sends nor sees traffic"
              + " class, flow label and hop limit. auto is native where it can be.")
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
          "Whether the system cuts a long send into packets (UDP_SEGMENT): fast, but wrong where a"
              + " card numbers them in its own way. auto does it where it was seen to arrive.")
  String gso();

  /** {@return who receives} */
  @AttributeDefinition(
      required = false,
      defaultValue = "thread",
      options = {
        @Option(label = "thread", value = "thread"),
        @Option(label = "poll", value = "poll")
      },
      description =
          "Who receives: a thread, or whoever polls a completion queue that is empty (poll); then"
              + " the thread takes over 1 ms after the last poll, or when a queue is armed.")
  String progress();

  /** {@return how IPv4 identifications are judged} */
  @AttributeDefinition(
      required = false,
      defaultValue = "loose",
      options = {
        @Option(label = "loose", value = "loose"),
        @Option(label = "strict", value = "strict")
      },
      description =
          "A socket does not show the IPv4 identification, so it is solved from the ICRC, which"
              + " covers it. loose takes any, so a right ICRC is never refused; strict only what"
              + " follows the peer's last one, as with Linux, so of damaged packets fewer pass.")
  String id__check();

  /** {@return quirks} */
  @AttributeDefinition(
      required = false,
      cardinality = 8,
      description = "Does as Linux rdma_rxe: flush-icrc, migreq-0, nak-63. Default: none.")
  String[] quirks();

  /** {@return busy polling} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "0",
      min = "0",
      max = "1000000",
      description =
          "Microseconds that the receiving thread goes on looking for packets before it sleeps;"
              + " where processors are few it keeps from running whom it has just woken up.")
  int busy__poll();

  /** {@return socket buffers} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "4194304",
      min = "65536",
      max = "268435456",
      description =
          "Bytes asked for as receive and send buffer of each socket; the system gives"
              + " net.core.rmem_max at most.")
  int socket__buffer();

  /** {@return source ports} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "64",
      min = "0",
      max = "4096",
      description =
          "How many UDP source ports each address may send from beside the well-known one. Each"
              + " queue pair has one, so that routers spread them; 0 sends all from the well-known"
              + " port.")
  int source__ports();

  /** {@return guard} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1000",
      min = "0",
      max = "1000000",
      description =
          "A source that sends more packets with wrong keys or sequence numbers within 10 s is"
              + " muted; 0 is never. Since others can write its address on a packet, what fits one"
              + " of its connections is heard all the same, unless it was wrong rkeys that did,"
              + " too.")
  int guard__violations();

  /** {@return guard} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "10000",
      min = "0",
      max = "10000000",
      description =
          "A source that sends more packets to queue pairs that do not exist within 1 s is muted; 0"
              + " is never.")
  int guard__probes();

  /** {@return guard} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "60",
      min = "1",
      max = "3600",
      description = "For how many seconds a source is muted.")
  int guard__mute();

  /** {@return window} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "128",
      min = "2",
      max = "65536",
      description = "Unacknowledged packets of one queue pair at most.")
  int window();

  /** {@return P_Key table} */
  @AttributeDefinition(
      required = false,
      cardinality = 128,
      defaultValue = "0xffff",
      description = "P_Key table: 16 bits in hex each, the top bit is full membership.")
  String[] pkeys();
}
