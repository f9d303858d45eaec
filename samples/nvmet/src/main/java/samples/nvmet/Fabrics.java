package samples.nvmet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The commands of NVMe over Fabrics: Connect, Property Get and Property Set. */
final class Fabrics {
  private static final int PROPERTY_SET = 0x00;
  private static final int CONNECT = 0x01;
  private static final int PROPERTY_GET = 0x04;

  private static final int CONNECT_DATA = 1024;
  private static final int DATA_HOST_ID = 0;
  private static final int HOST_ID_BYTES = 16;
  private static final int DATA_CNTLID = 16;
  private static final int DATA_SUBNQN = 256;
  private static final int DATA_HOSTNQN = 512;
  private static final int NQN_BYTES = 256;
  private static final int ANY_CONTROLLER = 0xffff;
  private static final int NO_FLOW_CONTROL = 1 << 2;
  private static final long IN_DATA = 1L << 16; // what is wrong is in the data, not the command

  private Fabrics() {}

  static void execute(Task task) {
    int type = task.u8(Capsule.FCTYPE);
    boolean admin = task.link().greeting().isAdmin();
    Controller controller = task.controller();
    if (type == CONNECT) {
      connect(task);
    } else if (type != PROPERTY_GET && type != PROPERTY_SET) {
      task.respond(Status.INVALID_OPCODE);
    } else if (controller == null || !admin) {
      task.respond(Status.COMMAND_SEQUENCE_ERROR);
    } else {
      property(task, controller, type == PROPERTY_SET);
    }
  }

  private static void property(Task task, Controller controller, boolean set) {
    Status located = task.locate(0, false);
    int bytes = (task.u8(Capsule.PROPERTY_BYTES) & 7) == 1 ? 8 : 4;
    int offset = task.u32(Capsule.PROPERTY);
    if (located != Status.SUCCESS) {
      task.respond(located);
    } else if (set) {
      task.respond(controller.setProperty(offset, bytes, task.u64(Capsule.PROPERTY_VALUE)));
      if (!controller.isEnabled()) {
        controller.forgetEvents();
      }
    } else if (!controller.hasProperty(offset, bytes)) {
      task.respond(Status.INVALID_FIELD);
    } else {
      task.respond(Status.SUCCESS, controller.property(offset));
    }
  }

  // ---- Connect ----

  private static void connect(Task task) {
    Status located = task.locate(CONNECT_DATA, true);
    if (located != Status.SUCCESS) {
      task.respond(located);
    } else if (task.u16(Capsule.CONNECT_FORMAT) != 0) {
      task.respond(Status.CONNECT_INCOMPATIBLE_FORMAT);
    } else if (!task.link().beginConnect()) {
      task.respond(Status.COMMAND_SEQUENCE_ERROR);
    } else {
      task.gather(CONNECT_DATA, Fabrics::connected);
    }
  }

  private static void connected(Task task) {
    Link link = task.link();
    MemorySegment data = task.gathered(CONNECT_DATA);
    Host host =
        new Host(
            Wire.text(data, DATA_HOSTNQN, NQN_BYTES),
            data.asSlice(DATA_HOST_ID, HOST_ID_BYTES).toArray(ValueLayout.JAVA_BYTE));
    String nqn = Wire.text(data, DATA_SUBNQN, NQN_BYTES);
    int sqSize = task.u16(Capsule.CONNECT_SQSIZE);
    if (task.u16(Capsule.CONNECT_QID) != link.greeting().qid()) {
      refuse(task, Capsule.CONNECT_QID);
    } else if (sqSize < 1 || sqSize >= link.greeting().depth()) {
      refuse(task, Capsule.CONNECT_SQSIZE);
    } else if (!link.target().serves(nqn)) {
      refuse(task, IN_DATA | DATA_SUBNQN);
    } else if (!host.isNamed()) {
      refuse(task, IN_DATA | DATA_HOSTNQN);
    } else {
      join(task, host, nqn, Wire.u16(data, DATA_CNTLID));
    }
  }

  private static void join(Task task, Host host, String nqn, int id) {
    Link link = task.link();
    boolean admin = link.greeting().isAdmin();
    if (admin && id != ANY_CONTROLLER) { // controllers are dynamic: the target chooses
      refuse(task, IN_DATA | DATA_CNTLID);
      return;
    }
    long kato = Integer.toUnsignedLong(task.u32(Capsule.CONNECT_KATO));
    Controller controller =
        admin
            ? link.target().newController(link, host, nqn, kato)
            : link.target().controller(id, host, nqn);
    if (controller == null) {
      Status why = admin ? Status.CONTROLLER_BUSY : Status.CONNECT_INVALID_PARAMETERS;
      link.connectRefused();
      task.respond(why, admin ? 0 : IN_DATA | DATA_CNTLID);
    } else if (!admin && !controller.attach(link)) {
      refuse(task, Capsule.CONNECT_QID);
    } else {
      boolean flow = (task.u8(Capsule.CONNECT_ATTRIBUTES) & NO_FLOW_CONTROL) == 0;
      link.connected(controller, task.u16(Capsule.CONNECT_SQSIZE) + 1, flow);
      task.respond(Status.SUCCESS, controller.id());
    }
  }

  private static void refuse(Task task, long what) {
    task.link().connectRefused();
    task.respond(Status.CONNECT_INVALID_PARAMETERS, what);
  }
}
