package samples.nvmet;

/** Get Features and Set Features, of what a host asks before it uses a controller. */
final class Features {
  private static final int VOLATILE_WRITE_CACHE = 0x06;
  private static final int NUMBER_OF_QUEUES = 0x07;
  private static final int ASYNC_EVENTS = 0x0b;
  private static final int KEEP_ALIVE_TIMER = 0x0f;
  private static final int NONE = 0xffff;

  private Features() {}

  static void execute(Task task, Controller controller, boolean set) {
    int feature = task.u8(Capsule.CDW10);
    int value = task.u32(Capsule.CDW11);
    switch (feature) {
      case NUMBER_OF_QUEUES -> queues(task, set, value);
      case KEEP_ALIVE_TIMER -> {
        if (set) {
          controller.katoMs(Integer.toUnsignedLong(value));
        }
        task.respond(Status.SUCCESS, controller.katoMs());
      }
      case ASYNC_EVENTS -> {
        if (set) {
          controller.events(value);
        }
        task.respond(Status.SUCCESS, Integer.toUnsignedLong(controller.events()));
      }
      case VOLATILE_WRITE_CACHE -> {
        boolean cached = task.link().target().subsystem().store().isCached();
        boolean wrong = set && (value & 1) != (cached ? 1 : 0); // it cannot be changed
        task.respond(wrong ? Status.INVALID_FIELD : Status.SUCCESS, cached && !set ? 1 : 0);
      }
      default -> task.respond(Status.INVALID_FIELD);
    }
  }

  /** As many pairs of queues as were asked for, up to the limit; all numbers are 0's based. */
  private static void queues(Task task, boolean set, int value) {
    int asked = Math.min(value & 0xffff, value >>> 16);
    int most = task.link().target().limits().ioQueues() - 1;
    if (set && asked == NONE) {
      task.respond(Status.INVALID_FIELD);
    } else {
      long given = set ? Math.min(asked, most) : most;
      task.respond(Status.SUCCESS, given | given << 16);
    }
  }
}
