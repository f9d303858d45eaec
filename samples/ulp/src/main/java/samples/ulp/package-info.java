/** A protocol that sends texts from each device to itself. */
package samples.ulp;
