/** The bench's own judgement, and the check that every build runs. */
package ib.bench;
