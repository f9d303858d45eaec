package ib.itests.interop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** Brings both ends of the scenarios to their places. */
final class ScenarioBundle {
  private static final List<String> CLASSES =
      List.of(
          "ScenarioActivator",
          "ScenarioActivator$Command",
          "Scenario",
          "Requester",
          "Responder",
          "Bulk",
          "Talk",
          "ConnectionCommands",
          "ConnectionCommands$Run",
          "PortHolder",
          "PortHolder$Objects");

  private ScenarioBundle() {}

  static void deploy(Lane lane) throws IOException {
    put(lane);
    Path jar = Files.createTempFile("scenario", ".jar");
    try {
      try (OutputStream file = Files.newOutputStream(jar)) {
        write(file);
      }
      lane.run("start " + jar.toUri());
      lane.shell()
          .runUntil("felix:help | grep interop:scenario", text -> text.contains("scenario"));
    } finally {
      Files.delete(jar);
    }
  }

  /** Brings the peer's end there; a peer that has booted does not have it. */
  static void put(Lane lane) {
    lane.peer.run(
        30, "put", Path.of("peer/scenario.py").toAbsolutePath().toString(), "/scenario.py");
  }

  private static void write(OutputStream file) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "ib.itests.scenario");
    main.putValue("Bundle-Activator", "ib.itests.interop.scenario.ScenarioActivator");
    main.putValue(
        "Import-Package",
        "org.osgi.framework,org.apache.felix.service.command,ib.cm,ib.cm.rdma,ib.core.client,"
            + "ib.core.verbs");
    try (JarOutputStream jar = new JarOutputStream(file, manifest)) {
      for (String simple : CLASSES) {
        String entry = "ib/itests/interop/scenario/" + simple + ".class";
        jar.putNextEntry(new ZipEntry(entry));
        try (InputStream in = ScenarioBundle.class.getResourceAsStream("/" + entry)) {
          if (in == null) {
            throw new IllegalStateException("no " + entry);
          }
          in.transferTo(jar);
        }
        jar.closeEntry();
      }
    }
  }
}
