package ib.engine.sim;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The deliberate bugs: where each is planted, and the checker that must catch it. */
enum Bug {
  ICRC_NOT_CHECKED(
      "port.HcaPort", "receive", field("damaged", b -> b.pop().iconst_0()), Profile.CORRUPT_5),
  PSN_COMPARED_RAW(
      "ib.core.wire.Psn",
      "diff",
      before(b -> b.iload(0).iload(1).isub().ireturn()),
      Profile.LOST_ACKS),
  DUPLICATE_EXECUTED(
      "packet.receive.ConnectedResponder",
      "inSequence",
      before(b -> b.iload(1).ifThen(Opcode.IFLT, t -> t.iconst_1().ireturn())),
      Profile.DUPLICATE_50),
  FLUSH_DROPPED(
      "control.Flusher",
      "flushSends",
      call(
          "completeHead",
          b ->
              b.pop()
                  .pop()
                  .pop()
                  .invokevirtual(
                      ClassDesc.of("ib.engine.packet.send.Completer"),
                      "skipHead",
                      MethodTypeDesc.ofDescriptor("()V"))),
      Profile.LOSS_30),
  READ_WITHOUT_DATA(
      "packet.send.Completer", "retire", call("what", b -> b.pop().iconst_0()), Profile.REORDER_50),
  GHOST_ACKNOWLEDGED(
      "packet.send.Completer",
      "receive",
      after("psnSent", b -> b.loadConstant(0x600000).iadd()),
      Profile.LOST_ACKS),
  NOT_ACKNOWLEDGED_AGAIN(
      "packet.receive.ConnectedResponder",
      "duplicate",
      before(CodeBuilder::return_),
      Profile.LOST_ACKS),
  PACKET_LEAKED(
      "packet.send.Completer", "responses", call("release", b -> b.pop().pop()), Profile.CLEAN),
  BOUNDS_NOT_CHECKED(
      "mr.Key", "admit", field("length", b -> b.pop().loadConstant(1L << 40)), Profile.CLEAN),
  RIGHTS_NOT_CHECKED("mr.Key", "admit", field("access", b -> b.pop().iconst_m1()), Profile.LOSS_1),
  SENT_AGAIN_AFTER_ANSWER(
      "packet.send.Requester", "skipAcknowledged", call("max", b -> b.pop2()), Profile.REORDER_50),
  ACKNOWLEDGED_TOO_FAR(
      "packet.receive.ConnectedResponder",
      "executed",
      constant(-1, b -> b.iconst_0()),
      Profile.LOSS_10),
  IMMEDIATE_LOST("qp.Responder", "immFlag", before(b -> b.iconst_0().ireturn()), Profile.CLEAN),
  DUPLICATE_ATOMIC_EXECUTED(
      "packet.receive.InboundRequest",
      "replay",
      before(
          b ->
              b.aload(0)
                  .getfield(desc("qp.Responder"), "qp", desc("qp.QpCore"))
                  .aload(1)
                  .invokestatic(
                      desc("qp.Planted"),
                      "again",
                      MethodTypeDesc.of(
                          ConstantDescs.CD_void, desc("qp.QpCore"), desc("wire.Packet")))),
      Profile.DUPLICATE_50),
  ATOMIC_REPLAYED_WRONG(
      "packet.receive.InboundRequest",
      "replay",
      altered("answer", b -> b.lconst_1().ladd()),
      Profile.LOSS_30),
  TIMER_LEFT("run.Worker", "timers", call("cancelled", b -> b.pop().iconst_0()), Profile.LOSS_50),
  TIMER_LEFT_AT_CLOSE("packet.send.Retries", "end", before(CodeBuilder::return_), Profile.LOSS_30),
  SLOT_RELEASED_UNPOLLED(
      "qp.QpCore", "polled", altered("release", b -> b.lconst_1().ladd()), Profile.LOSS_30),
  SHARED_SLOT_TAKEN_TWICE(
      "ring.ReceiveRing", "take", call("take", b -> b.pop2().pop().iconst_1()), Profile.CLEAN),
  PACKET_RELEASED_TWICE(
      "packet.send.Completer",
      "responses",
      altered(
          "release",
          b ->
              b.dup2()
                  .invokevirtual(
                      desc("wire.Packet"),
                      "release",
                      MethodTypeDesc.of(ConstantDescs.CD_void, desc("wire.RunContext")))),
      Profile.CLEAN),
  ARENA_LEFT("ib.core.verbs.MemoryRegion", "released", before(CodeBuilder::return_), Profile.CLEAN),
  STALE_KEY_TAKEN("mr.Key", "admit", field("number", b -> b.pop().iload(1)), Profile.CLEAN),
  WINDOW_OF_ANOTHER("mr.Key", "admit", field("holder", b -> b.pop().aconst_null()), Profile.CLEAN),
  NOT_INVALIDATED(
      "packet.receive.InboundMessage",
      "send",
      call("remote", b -> b.pop2().iconst_1()),
      Profile.CLEAN),
  STAYS_IN_GROUP("port.Multicast", "leave", before(CodeBuilder::return_), Profile.CLEAN),
  DIRECT_NOT_COUNTED_BY_PEER(
      "direct.DirectPath", "advance", call("executed", b -> b.pop2().pop()), Profile.DIRECT),
  DIRECT_NOT_SYNCED("control.QpSteps", "sync", before(CodeBuilder::return_), Profile.DIRECT_MIXED),
  DIRECT_PEER_NOT_SYNCED(
      "packet.receive.ConnectedResponder", "sync", before(CodeBuilder::return_), Profile.DIRECT),
  DIRECT_LENGTH_WRONG(
      "direct.DirectPath",
      "complete",
      replace(e -> e instanceof ConvertInstruction, b -> b.l2i().iconst_1().ior()),
      Profile.DIRECT),
  DIRECT_RECEIVE_LEFT(
      "direct.DirectPath",
      "send",
      call("complete", b -> b.pop2().pop().pop2().pop2().pop()),
      Profile.DIRECT),
  DIRECT_OVERTAKES(
      "qp.SendState",
      "isQuiet",
      call(
          "head",
          b -> b.pop().aload(0).getfield(desc("qp.SendState"), "cursor", ConstantDescs.CD_long)),
      Profile.DIRECT_MIXED),
  DIRECT_PEER_NOT_CLAIMED(
      "direct.DirectPath", "claim", call("tryClaim", b -> b.pop().iconst_1()), Profile.DIRECT),
  DIRECT_PAST_FAULTS(
      "fault.Faults", "active", call("forEach", b -> b.pop2()), Profile.DIRECT_MIXED);

  /** How often it was planted, in all loaders. */
  final AtomicInteger places = new AtomicInteger();

  final Profile profile;
  private final String target;
  private final String method;
  private final Edit edit;

  /** A change of the code of a method. */
  private interface Edit {
    CodeTransform counting(AtomicInteger places);
  }

  Bug(String target, String method, Edit edit, Profile profile) {
    this.target = target;
    this.method = method;
    this.edit = edit;
    this.profile = profile;
  }

  Plant plant() {
    return new Plant(target, method, edit.counting(places));
  }

  private static Edit before(Consumer<CodeBuilder> code) {
    return places ->
        new CodeTransform() {
          @Override
          public void atStart(CodeBuilder builder) {
            places.incrementAndGet();
            code.accept(builder);
          }

          @Override
          public void accept(CodeBuilder builder, CodeElement element) {
            builder.with(element);
          }
        };
  }

  private static Edit replace(Predicate<CodeElement> which, Consumer<CodeBuilder> code) {
    return places ->
        (builder, element) -> {
          if (which.test(element)) {
            places.incrementAndGet();
            code.accept(builder);
          } else {
            builder.with(element);
          }
        };
  }

  private static boolean calls(CodeElement e, String name) {
    return e instanceof InvokeInstruction i && i.name().equalsString(name);
  }

  private static Edit call(String name, Consumer<CodeBuilder> code) {
    return replace(e -> calls(e, name), code);
  }

  private static Edit field(String name, Consumer<CodeBuilder> code) {
    return replace(e -> e instanceof FieldInstruction f && f.name().equalsString(name), code);
  }

  private static ClassDesc desc(String name) {
    return ClassDesc.of("ib.engine." + name);
  }

  private static Edit constant(int value, Consumer<CodeBuilder> code) {
    return replace(
        e -> e instanceof ConstantInstruction c && c.constantValue().equals(value), code);
  }

  private static Edit altered(String name, Consumer<CodeBuilder> code) {
    return places ->
        (builder, element) -> {
          if (calls(element, name)) {
            places.incrementAndGet();
            code.accept(builder);
          }
          builder.with(element);
        };
  }

  private static Edit after(String name, Consumer<CodeBuilder> code) {
    return places ->
        (builder, element) -> {
          builder.with(element);
          if (calls(element, name)) {
            places.incrementAndGet();
            code.accept(builder);
          }
        };
  }
}
