/** A message from one device to another. */
package samples.plain;
