package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The kernel's stack in two network namespaces: ib0 as a test wants it, and ib1 on TAP. */
abstract class TwoKernels {
  protected Namespaces namespaces;
  protected Lab lab;
  protected String left;
  protected String right;
  protected String devA;
  protected String devB;
  private final Backend.Factory ofLeft;

  TwoKernels(Backend.Factory ofLeft) {
    this.ofLeft = ofLeft;
  }

  @BeforeEach
  final void build() {
    Namespaces.require("ip", "ping");
    namespaces = new Namespaces();
    left = namespaces.add();
    right = namespaces.add();
    String suffix = "t" + ProcessHandle.current().pid();
    devA = "ib0" + suffix;
    devB = "ib1" + suffix;
    lab =
        new Lab(
            2,
            new LinkConfig(0, 512, 2048, 0),
            name ->
                name.equals("ib0") ? ofLeft.open(name + suffix) : TapBackend.open(name + suffix));
    namespaces.move(devA, left, "10.97.0.1/24", "fd97::1/64");
    namespaces.move(devB, right, "10.97.0.2/24", "fd97::2/64");
    lab.up("ib0");
    lab.up("ib1");
  }

  /** Pings until as many as the options say have come back: late is not lost. */
  final void ping(String from, String... options) {
    List<String> all = new ArrayList<>(List.of("ping", "-n", "-i", "0.05", "-w", "50"));
    all.addAll(List.of(options));
    namespaces.in(from, all.toArray(String[]::new));
  }

  @AfterEach
  final void tearDown() {
    if (lab != null) {
      lab.close();
      assertFalse(namespaces.in(left, "ip", "-o", "link").contains(devA), "P1: the device is gone");
    }
    if (namespaces != null) {
      namespaces.close();
    }
  }
}
