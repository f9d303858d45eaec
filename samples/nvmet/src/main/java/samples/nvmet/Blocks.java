package samples.nvmet;

/** The commands of the NVM command set: Read, Write and Flush. */
final class Blocks {
  private static final int FLUSH = 0x00;
  private static final int WRITE = 0x01;
  private static final int READ = 0x02;

  private Blocks() {}

  static void execute(Task task) {
    switch (task.opcode()) {
      case READ -> read(task);
      case WRITE -> write(task);
      case FLUSH -> flush(task);
      default -> task.respond(Status.INVALID_OPCODE);
    }
  }

  private static void read(Task task) {
    Status status = check(task, false);
    if (status == Status.SUCCESS) {
      task.respondBlocks(offset(task), bytes(task));
    } else {
      task.respond(status);
    }
  }

  private static void write(Task task) {
    Status status = check(task, true);
    if (status == Status.SUCCESS) {
      task.gatherBlocks(offset(task), bytes(task), Blocks::done);
    } else {
      task.respond(status);
    }
  }

  private static void done(Task task) {
    task.respond(Status.SUCCESS);
  }

  private static void flush(Task task) {
    Status located = task.locate(0, false);
    int nsid = task.u32(Capsule.NSID);
    if (located != Status.SUCCESS) {
      task.respond(located);
    } else if (nsid != Pages.NSID && nsid != Pages.ALL_NAMESPACES) {
      task.respond(Status.INVALID_NAMESPACE);
    } else {
      task.link().target().subsystem().store().flush();
      task.respond(Status.SUCCESS);
    }
  }

  /** {@return whether the blocks exist and the host has said where its data is} */
  private static Status check(Task task, boolean fromHost) {
    Status located = task.locate(bytes(task), fromHost);
    if (task.u32(Capsule.NSID) != Pages.NSID) {
      return Status.INVALID_NAMESPACE;
    }
    if (bytes(task) > Limits.TRANSFER) {
      return Status.INVALID_FIELD; // more than MDTS says
    }
    long blocks = task.link().target().subsystem().store().blocks();
    long first = task.u64(Capsule.CDW10);
    long count = bytes(task) / Store.BLOCK_BYTES;
    if (first < 0 || count > blocks - first) { // < 0: beyond 2^63
      return Status.LBA_OUT_OF_RANGE;
    }
    return located;
  }

  private static long offset(Task task) {
    return task.u64(Capsule.CDW10) * Store.BLOCK_BYTES;
  }

  /** {@return bytes of the command, whose count of blocks is 16 bits and 0's based} */
  private static int bytes(Task task) {
    return (task.u16(Capsule.CDW12) + 1) * Store.BLOCK_BYTES;
  }
}
