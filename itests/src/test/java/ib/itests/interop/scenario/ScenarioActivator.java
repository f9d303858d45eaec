package ib.itests.interop.scenario;

import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Dictionary;
import java.util.Hashtable;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * Registers the shell command {@code scenario srv|cli HOST NAME GID_INDEX}, and those of {@link
 * ConnectionCommands}.
 */
public final class ScenarioActivator implements BundleActivator {
  static final int PORT = 18516;
  private static final int PATIENCE_MS = 600_000;

  /** What the shell calls. */
  public static final class Command {
    private final BundleContext context;

    Command(BundleContext context) {
      this.context = context;
    }

    /** Runs one scenario on device rxe0. */
    public String scenario(String role, String host, String name, int gidIndex) throws IOException {
      IbCore core = context.getService(context.getServiceReference(IbCore.class));
      boolean server = role.equals("srv");
      try (Socket socket = server ? accept() : connect(host);
          DeviceLease lease = core.lease("rxe0", "scenario");
          Scenario run = new Scenario(lease.device(), gidIndex, server, name, new Talk(socket))) {
        socket.setSoTimeout(PATIENCE_MS);
        return run.run();
      }
    }

    private static Socket accept() throws IOException {
      try (ServerSocket server = new ServerSocket(PORT)) {
        server.setSoTimeout(PATIENCE_MS);
        return server.accept();
      }
    }

    private static Socket connect(String host) throws IOException {
      Socket socket = new Socket();
      socket.connect(new InetSocketAddress(host, PORT), PATIENCE_MS);
      return socket;
    }
  }

  @Override
  public void start(BundleContext context) {
    Dictionary<String, Object> properties = new Hashtable<>();
    properties.put("osgi.command.scope", "interop");
    properties.put("osgi.command.function", "scenario");
    context.registerService(Command.class, new Command(context), properties);
    Dictionary<String, Object> more = new Hashtable<>();
    more.put("osgi.command.scope", "interop");
    more.put("osgi.command.function", ConnectionCommands.NAMES);
    context.registerService(ConnectionCommands.class, new ConnectionCommands(context), more);
  }

  @Override
  public void stop(BundleContext context) {
    // the framework unregisters the command
  }
}
