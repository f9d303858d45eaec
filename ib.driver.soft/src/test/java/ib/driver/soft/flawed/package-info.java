/**
 * Devices that are wrong on purpose: a soft device with one flaw each, to prove that the
 * compatibility suite catches it. Any thread may call in, as into the device inside.
 */
package ib.driver.soft.flawed;
