package ib.tools.fabric;

import java.util.List;

/** The commands that query the fabric by subnet management. */
public final class Commands {
  /** Attributes of a port. */
  public static final Command SMPQUERY =
      new Command(
          "smpquery",
          List.of("c,combined", "x,extended", "s,sm_port=", "K,show_keys", ",node-name-map="),
          Smpquery::run);

  /** A subnet manager. */
  public static final Command SMINFO =
      new Command("sminfo", List.of("s,state=", "p,priority=", "a,activity="), Sminfo::run);

  /** LIDs and GID of a port. */
  public static final Command IBADDR =
      new Command("ibaddr", List.of("g,gid_show", "l,lid_show", "L,Lid_show"), Ibaddr::run);

  /** The whole fabric, as a topology file. */
  public static final Command IBNETDISCOVER =
      new Command(
          "ibnetdiscover",
          List.of(
              "f,full",
              "s,show",
              "l,list",
              "g,grouping",
              "H,Hca_list",
              "S,Switch_list",
              "R,Router_list",
              "p,ports",
              "m,max_hops",
              "o,outstanding_smps=",
              ",node-name-map="),
          Netdiscover::run);

  /** The adapters. */
  public static final Command IBHOSTS =
      new Command("ibhosts", List.of(), (query, line) -> Netdiscover.hosts(Scan.of(query)));

  /** The switches. */
  public static final Command IBSWITCHES =
      new Command("ibswitches", List.of(), (query, line) -> Netdiscover.switches(Scan.of(query)));

  /** The adapters and the switches. */
  public static final Command IBNODES =
      new Command("ibnodes", List.of(), (query, line) -> Netdiscover.nodes(Scan.of(query)));

  /** Each link. */
  public static final Command IBLINKINFO =
      new Command(
          "iblinkinfo",
          List.of(
              "l,line",
              "d,down",
              "p,additional",
              "s,sm_port=",
              "o,outstanding_smps=",
              "S,switch=",
              "G,port-guid=",
              "n,hops=",
              "D,Direct=",
              ",switches-only",
              ",cas-only",
              ",node-name-map="),
          Linkinfo::run);

  /** State and speeds of a port. */
  public static final Command IBPORTSTATE =
      new Command("ibportstate", List.of("s,sm_port=", "K,show_keys"), Portstate::run);

  /** The forwarding tables of a switch. */
  public static final Command IBROUTE =
      new Command(
          "ibroute",
          List.of("a,all", "n,no_dests", "M,Multicast", "s,sm_port=", ",node-name-map="),
          Ibroute::run);

  /** The path of a packet. */
  public static final Command IBTRACERT =
      new Command(
          "ibtracert",
          List.of("f,force", "n,no_info", "m,mlid=", "s,sm_port=", ",node-name-map="),
          Tracert::run);

  private Commands() {}
}
