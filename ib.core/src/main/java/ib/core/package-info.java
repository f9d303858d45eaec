/**
 * The root of the midlayer: its entry class, which the framework starts and stops. It has no
 * thread, and no other package calls it; the API is in the exported packages below.
 */
@NullMarked
package ib.core;

import org.jspecify.annotations.NullMarked;
