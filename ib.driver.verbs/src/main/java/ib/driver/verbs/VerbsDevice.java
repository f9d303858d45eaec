package ib.driver.verbs;

import ib.core.cm.Connector;
import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.EventType;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.NodeType;
import ib.driver.base.Plugged;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.cm.HostConnector;
import ib.driver.verbs.object.AsyncEvents;
import ib.driver.verbs.object.HostDiagnosis;
import ib.driver.verbs.object.Sysfs;
import ib.driver.verbs.object.VerbsContext;
import ib.driver.verbs.object.VerbsOps;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A device of the host while it is plugged. */
final class VerbsDevice extends DriverDevice implements Plugged<VerbsConfig> {
  private final Sysfs sysfs;
  private final Sysfs.Entry entry;
  private final Opened opened;
  private final AsyncEvents events;
  private final Consumer<String> log;
  private volatile boolean fatal;

  /** The parts of the opened device. */
  private record Opened(VerbsContext context, VerbsOps ops, HostConnector connector) {}

  private VerbsDevice(
      VerbsConfig config, Sysfs sysfs, Sysfs.Entry entry, Opened opened, Consumer<String> log) {
    var attrs = opened.ops.queryDevice();
    long guid = config.guid() != 0 ? config.guid() : attrs.nodeGuid();
    super(
        new DeviceInfo(
            config.name(),
            0,
            NodeType.CA,
            guid,
            attrs.sysImageGuid() == 0 ? guid : attrs.sysImageGuid(),
            attrs.physPortCount(),
            VerbsDriver.PID));
    this.sysfs = sysfs;
    this.entry = entry;
    this.opened = opened;
    this.log = log;
    this.events = new AsyncEvents(opened.context, config.name(), this::event);
  }

  /**
   * Opens a device.
   *
   * @param config which
   * @param libraries where libibverbs is loaded
   * @param sysfs the kernel's files
   * @param log takes warnings, during the call and later
   * @return the device
   * @throws IbException when the host has no such device, or this process may not open it
   */
  static VerbsDevice plug(
      VerbsConfig config, Libraries libraries, Sysfs sysfs, Consumer<String> log) {
    Libibverbs library = libraries.library();
    Sysfs.Entry entry = sysfs.devices().get(config.device());
    if (entry == null) {
      throw absent(config, sysfs);
    }
    VerbsContext context =
        VerbsContext.open(
            library,
            config.name(),
            config.device(),
            log,
            errno -> denied(config, library, sysfs, entry, errno));
    boolean up = false;
    VerbsDevice device = null;
    try {
      HostConnector connector = connector(config, library, sysfs, log);
      VerbsOps ops =
          new VerbsOps(
              context,
              sysfs,
              () -> offered(sysfs, connector),
              () -> Map.of("connection_events_failed", connector.failures()));
      device = new VerbsDevice(config, sysfs, entry, new Opened(context, ops, connector), log);
      device.events.start();
      up = true;
      return device;
    } finally {
      if (!up) {
        if (device != null) {
          device.events.close();
        }
        int unused = context.close();
      }
    }
  }

  private static HostConnector connector(
      VerbsConfig config, Libibverbs library, Sysfs sysfs, Consumer<String> log) {
    long guid = sysfs.guid(config.device()).orElse(0L);
    return new HostConnector(
        library.libc(), sysfs, new HostConnector.Device(config.name(), config.device(), guid), log);
  }

  /** The kernel's module may be loaded later. */
  private static Optional<Connector> offered(Sysfs sysfs, HostConnector connector) {
    return Files.exists(sysfs.connectionManager()) ? Optional.of(connector) : Optional.empty();
  }

  private static String what(VerbsConfig config) {
    return "device " + config.name();
  }

  private static IbException absent(VerbsConfig config, Sysfs sysfs) {
    return sysfs.knows(config.device())
        ? new IbAgainException(
            what(config),
            "the kernel has " + config.device() + ", but offers it to no user program",
            "modprobe ib_uverbs")
        : new IbAgainException(
            what(config),
            "the host has no RDMA device " + config.device() + " now",
            "rdma link shows those it has");
  }

  /** The file may get its rights a little after the device came, so the slot tries again. */
  static IbException denied(
      VerbsConfig config, Libibverbs library, Sysfs sysfs, Sysfs.Entry entry, int errno) {
    String node = sysfs.node(entry);
    return switch (errno) {
      case Libc.EACCES, Libc.EPERM ->
          new IbAgainException(
              what(config),
              "this process may not open " + node,
              "add the user to the group of the file, or give the container the file");
      case Libc.ENOENT ->
          new IbAgainException(
              what(config),
              node + " is not there",
              "docker run --device /dev/infiniband, or modprobe ib_uverbs");
      case Libc.ENOSYS ->
          new IbAgainException(
              what(config), "this kernel offers no RDMA to programs", "modprobe ib_uverbs");
      case Libc.ENODEV ->
          sysfs.devices().containsKey(config.device())
              ? new IbAgainException(
                  what(config),
                  "libibverbs has no provider for " + config.device(),
                  "apt install ibverbs-providers, or the library of the vendor")
              : new IbAgainException(
                  what(config), config.device() + " has gone while it was opened", "rdma link");
      default -> {
        try (Frame frame = new Frame()) {
          yield new IbNoDeviceException(
              what(config),
              "libibverbs cannot open it: " + frame.text(library.libc(), errno),
              "dmesg may say more");
        }
      }
    };
  }

  private void event(EventType type, int port) {
    if (type == EventType.DEVICE_FATAL) {
      fatal = true; // the host's watch finds it outdated
    }
    dispatchEvent(type, port);
  }

  @Override
  public DriverDevice device() {
    return this;
  }

  @Override
  public DeviceOps ops() {
    return opened.ops;
  }

  @Override
  public Map<Class<?>, Object> offers() {
    return Map.of(QpDiagnosis.class, new HostDiagnosis(name(), opened.context));
  }

  @Override
  public void change(VerbsConfig same) {}

  @Override
  public boolean outdated() {
    return fatal || !entry.equals(sysfs.devices().get(entry.name()));
  }

  @Override
  public void unplug() {
    events.close();
    opened.connector.close();
    int errno = opened.context.close();
    if (errno != 0) {
      log.accept(
          "device " + name() + ": the kernel keeps it open, errno " + errno + ": see rdma res");
    }
  }
}
