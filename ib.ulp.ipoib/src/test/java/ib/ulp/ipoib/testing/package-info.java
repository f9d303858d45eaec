/** Devices and a subnet for the tests of this room. */
package ib.ulp.ipoib.testing;
