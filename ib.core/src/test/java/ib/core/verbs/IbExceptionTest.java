package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D3: control path errors carry errno, what, why and what to try")
class IbExceptionTest {

  @Test
  @DisplayName("D3: the message reads 'what: why (ERRNO). Try: hint'")
  void message() {
    IbException e = new IbInvalidException("create CQ", "cqe 0", "1 to 32767");
    assertEquals("create CQ: cqe 0 (EINVAL). Try: 1 to 32767", e.getMessage());
    assertEquals(Errno.EINVAL, e.errno());
    assertEquals("create CQ", e.what());
    assertEquals("cqe 0", e.why());
    assertEquals("1 to 32767", e.hint());
  }

  @Test
  @DisplayName("D3: without a hint the message ends at the errno")
  void messageWithoutHint() {
    assertEquals("a: b (EIO)", new IbDisassociatedException("a", "b", "").getMessage());
  }

  @Test
  @DisplayName("D3: each subclass has its errno")
  void errnos() {
    assertEquals(
        List.of(
            Errno.EINVAL,
            Errno.ENOMEM,
            Errno.EOPNOTSUPP,
            Errno.ENODEV,
            Errno.EIO,
            Errno.EAGAIN,
            Errno.EEXIST,
            Errno.EPERM,
            Errno.ETIMEDOUT,
            Errno.EDEADLK,
            Errno.EINTR,
            Errno.EOVERFLOW),
        List.<IbException>of(
                new IbInvalidException("", "", ""),
                new IbNoMemoryException("", "", ""),
                new IbNotSupportedException("", "", ""),
                new IbNoDeviceException("", "", ""),
                new IbDisassociatedException("", "", ""),
                new IbAgainException("", "", ""),
                new IbExistsException("", "", ""),
                new IbPermissionException("", "", ""),
                new IbTimedOutException("", "", ""),
                new IbDeadlockException("", "", ""),
                new IbInterruptedException("", "", ""),
                new IbOverrunException("", "", ""))
            .stream()
            .map(IbException::errno)
            .toList());
  }

  @Test
  @DisplayName("D3: EBUSY names the users, and keeps them")
  void busy() {
    List<String> users = new ArrayList<>(List.of("QP 0x11", "QP 0x12"));
    IbBusyException e = new IbBusyException("close CQ 7", users);
    users.clear();
    assertEquals(
        "close CQ 7: in use by QP 0x11, QP 0x12 (EBUSY). Try: close these 2 first", e.getMessage());
    assertEquals(List.of("QP 0x11", "QP 0x12"), e.users());
    assertThrows(UnsupportedOperationException.class, () -> e.users().add("x"));
    assertEquals("close it first", new IbBusyException("close", List.of("QP 1")).hint());
  }

  @Test
  @DisplayName("S26: a broken clause is named")
  void contract() {
    IbContractException e = new IbContractException("S26", "create CQ", "in a completion handler");
    assertEquals("create CQ: in a completion handler [S26] (EPERM)", e.getMessage());
    assertEquals("S26", e.clause());
  }

  @Test
  @DisplayName("D3: an exception survives serialization, for remote consoles")
  void serializable() throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new IbBusyException("close", List.of("QP 1")));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      IbBusyException e = assertInstanceOf(IbBusyException.class, in.readObject());
      assertEquals(List.of("QP 1"), e.users());
      assertEquals(Errno.EBUSY, e.errno());
    }
  }
}
