package ib.tools.perftest;

import ib.tools.perftest.Tool.Verb;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The options of the perftest programs: their forms and their usage text. */
final class OptionTable {
  /** An option: its form for Getopt, its usage text, and the programs that have it. */
  private record Known(String spec, String usage, Predicate<Tool> of) {}

  private static final List<Known> KNOWN =
      List.of(
          new Known("a,all", "-a, --all  Run sizes from 2 till 2^23", t -> t.verb != Verb.ATOMIC),
          new Known(
              "A,atomic_type=",
              "-A, --atomic_type=<type>  type of atomic operation from"
                  + " {CMP_AND_SWAP,FETCH_AND_ADD}",
              t -> t.verb == Verb.ATOMIC),
          new Known(
              "b,bidirectional",
              "-b, --bidirectional  Measure bidirectional bandwidth (default unidirectional)",
              Tool::bandwidth),
          new Known(
              ",bind_source_ip=",
              "--bind_source_ip=<ip>  Listen on that address (default with InfiniBand this host"
                  + " only, with RoCE every address, as the original)",
              t -> true),
          new Known(
              "c,connection=",
              "-c, --connection=<RC/UC/UD>  Connection type RC/UC/UD (default RC)",
              t -> t.verb.types.size() > 1),
          new Known(
              "d,ib-dev=",
              "-d, --ib-dev=<dev>  Use IB device <dev> (default first device found)",
              t -> true),
          new Known(
              "D,duration=",
              "-D, --duration  Run test for a customized period of seconds.",
              t -> true),
          new Known(
              "e,events",
              "-e, --events  Sleep on CQ events (default poll)",
              t -> t != Tool.WRITE_LAT),
          new Known(
              "F,CPU-freq",
              "-F, --CPU-freq  Do not show a warning about the CPU frequency (there is none)",
              t -> true),
          new Known("h,help", "-h, --help  Show this help screen.", t -> true),
          new Known(
              "H,report-histogram",
              "-H, --report-histogram  Print out all results (default print summary only)",
              t -> !t.bandwidth()),
          new Known(
              "i,ib-port=",
              "-i, --ib-port=<port>  Use port <port> of IB device (default 1)",
              t -> true),
          new Known(
              "I,inline_size=",
              "-I, --inline_size=<size>  Max size of message to be sent in inline",
              t -> !t.verb.answered()),
          new Known(
              "l,post_list=",
              "-l, --post_list=<list size>  Post list of send WQEs of <list size> size (instead of"
                  + " single post)",
              Tool::bandwidth),
          new Known(
              "m,mtu=", "-m, --mtu=<mtu>  MTU size : 256 - 4096 (default port mtu)", t -> true),
          new Known(
              "n,iters=",
              "-n, --iters=<iters>  Number of exchanges (at least 5, default 1000)",
              t -> true),
          new Known(
              "N,noPeak",
              "-N, --noPeak Cancel peak-bw calculation (default with peak up to iters=20000)",
              Tool::bandwidth),
          new Known(
              ",no-warmup",
              "--no-warmup  Do not send untimed messages before, as the original (default: for at"
                  + " most 2 s, on a queue pair of its own that the peer does not see)",
              t -> true),
          new Known(
              "o,outs=",
              "-o, --outs=<num>  num of outstanding reads or atomics (default max of device)",
              t -> t.verb.answered()),
          new Known(
              "p,port=",
              "-p, --port=<port>  Listen on/connect to port <port> (default 18515)",
              t -> true),
          new Known("q,qp=", "-q, --qp=<num of qp's>  Num of qp's(default 1)", Tool::bandwidth),
          new Known(
              "Q,cq-mod=",
              "-Q, --cq-mod  Generate Cqe only after <--cq-mod> completion",
              Tool::bandwidth),
          new Known(
              "r,rx-depth=",
              "-r, --rx-depth=<dep>  Rx queue size (default 512)",
              t -> t.verb == Verb.SEND || t == Tool.WRITE_BW),
          new Known(
              "R,rdma_cm",
              "-R, --rdma_cm  Connect QPs with rdma_cm and run test on those QPs (-u is their ACK"
                  + " timeout, -m and -x do nothing)",
              t -> true),
          new Known(
              "s,size=",
              "-s, --size=<size>  Size of message to exchange",
              t -> t.verb != Verb.ATOMIC),
          new Known("S,sl=", "-S, --sl=<sl>  SL (default 0)", t -> true),
          new Known(
              "t,tx-depth=",
              "-t, --tx-depth=<dep>  Size of tx queue (default 128)",
              Tool::bandwidth),
          new Known(
              "T,tos=",
              "-T, --tos=<tos value>  Set <tos_value> to RDMA-CM QPs. available only with -R flag."
                  + " values 0-256 (default off)",
              t -> true),
          new Known(
              "u,qp-timeout=",
              "-u, --qp-timeout=<timeout>  QP timeout, timeout value is 4 usec * 2 ^(timeout),"
                  + " default 14",
              t -> true),
          new Known(
              "U,report-unsorted",
              "-U, --report-unsorted  (implies -H) print out unsorted results (default sorted)",
              t -> !t.bandwidth()),
          new Known("V,version", "-V, --version  Display version number", t -> true),
          new Known(
              "x,gid-index=",
              "-x, --gid-index=<index>  Test uses GID with GID index (Default : IB - no gid . ETH -"
                  + " 0)",
              t -> true),
          new Known(
              "z,comm_rdma_cm",
              "-z, --comm_rdma_cm  Communicate with rdma_cm module to exchange data - use regular"
                  + " QPs",
              t -> true),
          new Known(
              ",run_infinitely",
              "    --run_infinitely  Run test forever, print results every <duration> seconds",
              Tool::bandwidth),
          new Known(
              ",report_gbits",
              "    --report_gbits  Report Max/Average BW of test in Gbit/sec (instead of MiB/sec)",
              Tool::bandwidth),
          new Known(
              ",write_with_imm",
              "    --write_with_imm  use write-with-immediate verb instead of write",
              t -> t == Tool.WRITE_BW));

  private OptionTable() {}

  /** {@return the forms of the options that a program has, for {@link ib.tools.getopt.Getopt}} */
  static String[] specs(Tool tool) {
    return KNOWN.stream().filter(o -> o.of.test(tool)).map(Known::spec).toArray(String[]::new);
  }

  /** {@return the usage text of a program} */
  static String text(Tool tool) {
    String program = tool.program();
    Stream<String> head =
        Stream.of(
            "Usage:",
            "  " + program + "            start a server and wait for connection",
            "  " + program + " <host>     connect to server at <host>",
            "  " + program + " -d <dev> <dev>   run both ends here, client first",
            "",
            "Options:");
    Stream<String> lines = KNOWN.stream().filter(o -> o.of.test(tool)).map(o -> "  " + o.usage);
    return String.join("\n", Stream.concat(head, lines).toList());
  }
}
