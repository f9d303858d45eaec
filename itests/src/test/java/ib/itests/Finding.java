package ib.itests;

/** A category: one failure of such a class is a finding, also if it passes when it is repeated. */
public interface Finding {}
