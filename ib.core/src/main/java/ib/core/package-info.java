/**
 * The root of the midlayer: its entry class, which the framework starts and stops. It owns no
 * thread of its own and nobody calls in; the API stands in the exported packages below.
 */
@NullMarked
package ib.core;

import org.jspecify.annotations.NullMarked;
