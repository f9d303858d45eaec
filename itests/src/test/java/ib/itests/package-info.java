/**
 * Tests of the house as deployed: every bundle of the run descriptor in a real framework, and the
 * distribution folder through its own program. The test runner's thread owns everything.
 */
package ib.itests;
