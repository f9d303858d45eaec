/** {@code ib:doctor}: looks at everything that can be wrong, and says what to do. */
@NullMarked
package ib.tools.doctor;

import org.jspecify.annotations.NullMarked;
