package ib.driver.verbs.cm;

import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The opened file of the kernel's connection manager: a command is one write. */
class UcmFile {
  private static final long HEADER = Layout.size("rdma_ucm_cmd_hdr");
  private static final long CMD = Layout.at("rdma_ucm_cmd_hdr", "cmd", 4);
  private static final long IN = Layout.at("rdma_ucm_cmd_hdr", "in", 2);
  private static final long OUT = Layout.at("rdma_ucm_cmd_hdr", "out", 2);

  /** The commands, with their numbers in C. */
  enum Command {
    CREATE_ID("rdma_ucm_create_id", 0),
    DESTROY_ID("rdma_ucm_destroy_id", 1),
    RESOLVE_ROUTE("rdma_ucm_resolve_route", 4),
    CONNECT("rdma_ucm_connect", 6),
    LISTEN("rdma_ucm_listen", 7),
    ACCEPT("rdma_ucm_accept", 8),
    REJECT("rdma_ucm_reject", 9),
    DISCONNECT("rdma_ucm_disconnect", 10),
    INIT_QP_ATTR("rdma_ucm_init_qp_attr", 11),
    GET_EVENT("rdma_ucm_get_event", 12),
    SET_OPTION("rdma_ucm_set_option", 14),
    NOTIFY("rdma_ucm_notify", 15),
    QUERY("rdma_ucm_query", 19),
    BIND("rdma_ucm_bind", 20),
    RESOLVE_ADDR("rdma_ucm_resolve_addr", 21);

    private final String struct;
    private final long bytes;
    private final int number;

    Command(String struct, int number) {
      this.struct = struct;
      this.bytes = Layout.size(struct);
      this.number = number;
    }
  }

  private final Libc libc;
  final int fd;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean closed; // guarded by lock

  UcmFile(Libc libc, int fd) {
    this.libc = libc;
    this.fd = fd;
  }

  /** A command whose fields are zero until they are put by their names in C. */
  static final class Request {
    private final Frame frame;
    private final Command command;
    private final MemorySegment whole;

    /** The command's structure, for fields that are structures. */
    final MemorySegment body;

    /**
     * Creates it, without an answer.
     *
     * @param frame has its memory
     */
    Request(Frame frame, Command command) {
      this.frame = frame;
      this.command = command;
      this.whole = frame.zeros(HEADER + command.bytes);
      this.body = whole.asSlice(HEADER);
      whole.set(ValueLayout.JAVA_INT, CMD, command.number);
      whole.set(ValueLayout.JAVA_SHORT, IN, (short) command.bytes);
    }

    /**
     * Has the kernel answer.
     *
     * @param struct the structure of the answer
     * @return the answer, zero until the kernel has the command
     */
    MemorySegment answer(String struct) {
      long bytes = Layout.size(struct);
      whole.set(ValueLayout.JAVA_SHORT, OUT, (short) bytes);
      MemorySegment answer = frame.zeros(bytes);
      put("response", answer.address());
      return answer;
    }

    /** {@return memory that the command may point to, zero} */
    MemorySegment zeros(long bytes) {
      return frame.zeros(bytes);
    }

    /** {@return where a field that is a structure begins} */
    long at(String field) {
      return Layout.at(command.struct, field);
    }

    Request put(String field, long value) {
      body.set(ValueLayout.JAVA_LONG, Layout.at(command.struct, field, Long.BYTES), value);
      return this;
    }

    Request put(String field, int value) {
      body.set(ValueLayout.JAVA_INT, Layout.at(command.struct, field, Integer.BYTES), value);
      return this;
    }

    Request putShort(String field, int value) {
      long at = Layout.at(command.struct, field, Short.BYTES);
      body.set(ValueLayout.JAVA_SHORT, at, (short) value);
      return this;
    }

    Request putByte(String field, int value) {
      body.set(ValueLayout.JAVA_BYTE, Layout.at(command.struct, field, Byte.BYTES), (byte) value);
      return this;
    }

    Request put(String field, byte[] value, int most) {
      long at = Layout.at(command.struct, field, most);
      MemorySegment.copy(value, 0, body, ValueLayout.JAVA_BYTE, at, value.length);
      return this;
    }

    @Override
    public String toString() {
      return command.name();
    }
  }

  /** Gives the kernel a command; {@return 0 or the error number, ENODEV when the file is closed} */
  int give(Request request) {
    lock.readLock().lock();
    try {
      if (closed) {
        return Libc.ENODEV;
      }
      MemorySegment bytes = request.whole;
      Frame frame = request.frame;
      long written = frame.call(libc.write, fd, bytes.address(), bytes.byteSize());
      return written < 0 ? frame.errno() : 0;
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Closes the file: the kernel ends all that was made by it. */
  void close() {
    lock.writeLock().lock();
    try {
      closed = true;
      try (Frame frame = new Frame()) {
        frame.call(libc.close, fd);
      }
    } finally {
      lock.writeLock().unlock();
    }
  }
}
