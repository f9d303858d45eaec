/** A driver whose devices are at the ends of cables in this JVM. */
package samples.driver;
