/** Tests of {@code ib:doctor}. */
@NullMarked
package ib.tools.doctor;

import org.jspecify.annotations.NullMarked;
