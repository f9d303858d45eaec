package samples.nvmet;

/** The commands of the admin queue. */
final class Admin {
  private static final int GET_LOG_PAGE = 0x02;
  private static final int IDENTIFY = 0x06;
  private static final int ABORT = 0x08;
  private static final int SET_FEATURES = 0x09;
  private static final int GET_FEATURES = 0x0a;
  private static final int ASYNC_EVENT_REQUEST = 0x0c;
  private static final int KEEP_ALIVE = 0x18;

  private static final long NOT_ABORTED = 1;

  private Admin() {}

  static void execute(Task task, Controller controller) {
    switch (task.opcode()) {
      case IDENTIFY -> identify(task, controller);
      case GET_LOG_PAGE -> logPage(task, controller);
      case GET_FEATURES, SET_FEATURES, ASYNC_EVENT_REQUEST, KEEP_ALIVE, ABORT ->
          withoutData(task, controller);
      default -> task.respond(Status.INVALID_OPCODE);
    }
  }

  private static void withoutData(Task task, Controller controller) {
    int opcode = task.opcode();
    Status located = task.locate(0, false);
    if (located != Status.SUCCESS) {
      task.respond(located);
    } else if (opcode == GET_FEATURES || opcode == SET_FEATURES) {
      Features.execute(task, controller, opcode == SET_FEATURES);
    } else if (opcode == ASYNC_EVENT_REQUEST) {
      controller.awaitEvent(task);
    } else {
      // each command is executed when it arrives, so there is none to abort
      task.respond(Status.SUCCESS, opcode == ABORT ? NOT_ABORTED : 0);
    }
  }

  private static void identify(Task task, Controller controller) {
    Status status = task.locate(Capsule.PAGE, false);
    if (status == Status.SUCCESS) {
      status = Pages.identify(task, controller, task.page(Capsule.PAGE));
    }
    if (status == Status.SUCCESS) {
      task.respondPage(Capsule.PAGE);
    } else {
      task.respond(status);
    }
  }

  private static void logPage(Task task, Controller controller) {
    long dwords = (task.u32(Capsule.CDW10) >>> 16) + ((task.u32(Capsule.CDW11) & 0xffffL) << 16);
    long bytes = (dwords + 1) * 4; // 0's based
    Status status = task.locate(bytes, false);
    if (status == Status.SUCCESS) {
      // a longer page is read in parts, as hosts do that have its length from its header
      status = bytes > Capsule.PAGE ? Status.INVALID_FIELD : Logs.read(task, controller, bytes);
    }
    if (status == Status.SUCCESS) {
      task.respondPage((int) bytes);
    } else {
      task.respond(status);
    }
  }
}
