/** What the canary bundles hold: each a thing that a rule finds, or the right way to do it. */
@NullMarked
package ib.verifier.bundles;

import org.jspecify.annotations.NullMarked;
