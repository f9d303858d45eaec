package samples.nvmet;

/** Chooses what executes a command, by the state of its queue and its opcode. */
final class Dispatch {
  private static final int FABRICS = 0x7f;
  private static final int SGL_IN_USE = 0x40; // PSDT 01b and no fused operation

  private Dispatch() {}

  static void execute(Task task) {
    Controller controller = task.controller();
    if (task.flags() != SGL_IN_USE) {
      task.respond(Status.INVALID_FIELD); // the transport has SGLs only
    } else if (task.opcode() == FABRICS) {
      Fabrics.execute(task);
    } else if (controller == null || !controller.isReady()) {
      task.respond(Status.COMMAND_SEQUENCE_ERROR);
    } else if (task.link().greeting().isAdmin()) {
      Admin.execute(task, controller);
    } else {
      Blocks.execute(task);
    }
  }
}
