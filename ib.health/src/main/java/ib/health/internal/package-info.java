/** The services of the bundle, and what they look at. */
@NullMarked
package ib.health.internal;

import org.jspecify.annotations.NullMarked;
